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

// Table is what a reader sees: texts under headings, written as text, Markdown, LaTeX, CSV, or on a page.
type Table struct {
	Title    string
	Detail   string // follows the title, except in the label of a LaTeX table
	About    string // explains the columns, in Markdown and LaTeX
	Headings []Heading
	Rows     [][]Item
	Tied     string // which entries count as equal, to explain bold type
	Notes    []string
}

// Heading is the head of a column. Neighbours of one group have its name above them.
type Heading struct {
	Group, Name string
	Right       bool // aligned right
}

// Item is an entry of a table.
type Item struct {
	Text  string
	LaTeX string // in place of Text in LaTeX; empty: Text
	Marks
	Far bool // differs much from the paper; underlined on a page
}

// Headings returns headings with these names; a column whose name ends in > is aligned right.
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

// Visible returns the text with characters that do not print made visible.
func (i Item) Visible() string { return humanize.Visible(i.Text) }

// signs are what bold type, star and dagger look like in a format.
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

// MarkNotes explain the marks that the table has, with the signs of a page.
func (t *Table) MarkNotes() []MarkNote { return t.markNotes(pageSigns) }

func (t *Table) markNotes(of signs) (notes []MarkNote) {
	texts := [3]string{"best or tied (" + t.Tied + ") without the true T", "with the true T, and better",
		"with T-hat better than with T = I, no noise injected"}
	for k, text := range texts {
		has := func(i Item) bool { return i.list()[k] }
		if slices.ContainsFunc(t.Rows, func(row []Item) bool { return slices.ContainsFunc(row, has) }) {
			notes = append(notes, MarkNote{of[k], text})
		}
	}
	return notes
}

// heading is the title, if there is one, with more behind it and an empty line after it.
func (t *Table) heading(more string) string {
	if t.Title == "" {
		return ""
	}
	return t.Title + more + "\n\n"
}

// Group is a range of columns under one name.
type Group struct {
	Name     string
	from, to int
}

// Columns is the number of columns of the group.
func (g Group) Columns() int { return g.to - g.from }

// Groups are the columns by their groups. The first has no name.
func (t *Table) Groups() (groups []Group) {
	for k, h := range t.Headings {
		if k == 0 || h.Group != t.Headings[k-1].Group {
			groups = append(groups, Group{h.Group, k, k})
		}
		groups[len(groups)-1].to++
	}
	return groups
}

// absent stands for a number that there is not.
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
