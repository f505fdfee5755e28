package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// Table is a table of texts under headings, written as text, Markdown, LaTeX, CSV, or on a page.
type Table struct {
	Title    string
	Detail   string // follows the title, except in the label of a LaTeX table
	About    string // explains the columns, in Markdown and LaTeX
	Headings []Heading
	Rows     [][]Item
	Tied     string // rule for ties, to explain bold type
	Notes    []string
}

// Heading is the head of a column. Adjacent columns of one group have its name above them.
type Heading struct {
	Group, Name string
	Right       bool // aligned right
}

// Item is an entry of a table.
type Item struct {
	Text  string
	LaTeX string // replaces Text in LaTeX if not empty
	Marks
	Far bool // differs much from the paper; underlined on a page
}

// Headings returns headings with these names; a name that ends in > aligns its column right.
func Headings(names ...string) []Heading {
	list := make([]Heading, len(names))
	for k, name := range names {
		list[k].Name, list[k].Right = strings.CutSuffix(name, ">")
	}
	return list
}

// Add appends a row of texts.
func (t *Table) Add(texts ...string) {
	row := make([]Item, len(texts))
	for k, text := range texts {
		row[k].Text = text
	}
	t.Rows = append(t.Rows, row)
}

// Visible returns the text with unprintable characters made visible.
func (i Item) Visible() string { return humanize.Visible(i.Text) }

// signs shows bold type, star and dagger in a format.
type signs [3]string

var (
	textSigns     = signs{"b", "*", "†"}
	markdownSigns = signs{"**bold**", "★", "†"}
	latexSigns    = signs{`\textbf{bold}`, `$\star$`, `$\dagger$`}
	pageSigns     = signs{"b", "★", "†"}
)

// list returns the marks in the order of their signs.
func (m Marks) list() [3]bool { return [3]bool{m.Bold, m.Star, m.Dagger} }

// MarkNote explains a mark.
type MarkNote struct{ Sign, Text string }

// MarkNotes explains the marks in the table, with the signs of a page.
func (t *Table) MarkNotes() []MarkNote { return t.markNotes(pageSigns) }

func (t *Table) markNotes(of signs) (notes []MarkNote) {
	texts := [3]string{"best or tied (" + t.Tied + ") without the true T", "with the true T, and better",
		"without injected noise, better with T-hat than with T = I"}
	for k, text := range texts {
		has := func(i Item) bool { return i.list()[k] }
		if slices.ContainsFunc(t.Rows, func(row []Item) bool { return slices.ContainsFunc(row, has) }) {
			notes = append(notes, MarkNote{of[k], text})
		}
	}
	return notes
}

// heading returns the title, if there is one, followed by more and an empty line.
func (t *Table) heading(more string) string {
	if t.Title == "" {
		return ""
	}
	return t.Title + more + "\n\n"
}

// Group is a range of adjacent columns under one name.
type Group struct {
	Name     string
	from, to int
}

// Columns returns the number of columns in the group.
func (g Group) Columns() int { return g.to - g.from }

// Groups returns the groups of columns. The first has no name.
func (t *Table) Groups() (groups []Group) {
	for k, h := range t.Headings {
		if k == 0 || h.Group != t.Headings[k-1].Group {
			groups = append(groups, Group{h.Group, k, k})
		}
		groups[len(groups)-1].to++
	}
	return groups
}

// absent replaces a missing number.
const absent = "-"

// WriteCSV writes headings and rows, without title and notes.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := make([][]string, 1+len(t.Rows))
	for _, h := range t.Headings {
		lines[0] = append(lines[0], h.Name)
	}
	for k, row := range t.Rows {
		for _, item := range row {
			lines[k+1] = append(lines[k+1], rows.Cell(item.Text))
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("report: write csv: %w", err)
	}
	return nil
}
