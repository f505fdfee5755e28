package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// Sheet is a table of texts with a heading for each column.
type Sheet struct {
	Title   string
	Columns []SheetColumn
	Rows    [][]string
	Notes   []string
}

// SheetColumn is a column of a Sheet.
type SheetColumn struct {
	Name  string
	Right bool // aligned right
}

// TextColumns returns columns with these names; one whose name ends in > is aligned right.
func TextColumns(names ...string) []SheetColumn {
	columns := make([]SheetColumn, len(names))
	for k, name := range names {
		columns[k].Name, columns[k].Right = strings.CutSuffix(name, ">")
	}
	return columns
}

// Add appends a row.
func (s *Sheet) Add(row ...string) { s.Rows = append(s.Rows, row) }

// Names returns the names of the columns.
func (s *Sheet) Names() []string {
	names := make([]string, len(s.Columns))
	for k, c := range s.Columns {
		names[k] = c.Name
	}
	return names
}

// Lines returns the rows with characters that do not print made visible.
func (s *Sheet) Lines() [][]string {
	lines := make([][]string, len(s.Rows))
	for i, row := range s.Rows {
		for _, text := range row {
			lines[i] = append(lines[i], humanize.Visible(text))
		}
	}
	return lines
}

// WriteText writes the sheet aligned for a terminal.
func (s *Sheet) WriteText(w io.Writer) error {
	lines := append([][]string{s.Names()}, s.Lines()...)
	right := func(k int) bool { return s.Columns[k].Right }
	space := func(k int) int { return min(k, 1) * gap }
	text := s.heading() + align(lines, widths(lines), right, space)
	if len(s.Notes) > 0 {
		text += "\n" + strings.Join(s.Notes, "\n") + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// heading is the title, if there is one, with an empty line after it.
func (s *Sheet) heading() string {
	if s.Title == "" {
		return ""
	}
	return s.Title + "\n\n"
}

// widths are those of the columns, in characters.
func widths(lines [][]string) []int {
	out := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, text := range line {
			out[k] = max(out[k], utf8.RuneCountInString(text))
		}
	}
	return out
}

// align writes lines in columns of the widths, with space before each column.
func align(lines [][]string, widths []int, right func(column int) bool, space func(column int) int) string {
	var b strings.Builder
	for _, line := range lines {
		out := ""
		for k, text := range line {
			width := -widths[k]
			if right(k) {
				width = widths[k]
			}
			out += strings.Repeat(" ", space(k)) + pad(text, width)
		}
		b.WriteString(strings.TrimRight(out, " ") + "\n")
	}
	return b.String()
}

// pad fills s with spaces to the width, on the left, or on the right if the
// width is negative.
func pad(s string, width int) string {
	fill := strings.Repeat(" ", max(0, max(width, -width)-utf8.RuneCountInString(s)))
	if width < 0 {
		return s + fill
	}
	return fill + s
}

// WriteMarkdown writes the sheet in GitHub's Markdown.
func (s *Sheet) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(s.heading())
	rule := "|"
	for _, c := range s.Columns {
		if c.Right {
			rule += "---:|"
		} else {
			rule += ":---|"
		}
	}
	for k, line := range append([][]string{s.Names()}, s.Lines()...) {
		b.WriteString("|")
		for _, text := range line {
			b.WriteString(" " + escape(text) + " |")
		}
		b.WriteString("\n")
		if k == 0 {
			b.WriteString(rule + "\n")
		}
	}
	for _, note := range s.Notes {
		b.WriteString("\n" + escape(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escape keeps a text from ending its cell.
func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// WriteLaTeX writes the sheet as a table that needs the package booktabs.
func (s *Sheet) WriteLaTeX(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\\begin{table}[tb]\n\\centering\n\\footnotesize\n\\begin{tabular}{")
	for _, c := range s.Columns {
		if c.Right {
			b.WriteString("r")
		} else {
			b.WriteString("l")
		}
	}
	b.WriteString("}\n\\toprule\n" + latexLine(s.Names()) + "\\midrule\n")
	for _, line := range s.Lines() {
		b.WriteString(latexLine(line))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if s.Title != "" {
		fmt.Fprintf(&b, "\\caption{%s.}\n%s", latex(strings.Join(append([]string{s.Title}, s.Notes...), ". ")),
			latexLabel(s.Title))
	}
	b.WriteString("\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func latexLine(line []string) string {
	cells := make([]string, len(line))
	for k, text := range line {
		cells[k] = latex(text)
	}
	return strings.Join(cells, " & ") + ` \\` + "\n"
}

// WriteCSV writes names and rows, without title and notes.
func (s *Sheet) WriteCSV(w io.Writer) error {
	lines := [][]string{s.Names()}
	for _, row := range s.Rows {
		line := make([]string, len(row))
		for k, text := range row {
			line[k] = rows.Cell(text)
		}
		lines = append(lines, line)
	}
	return writeCSV(w, lines)
}

func writeCSV(w io.Writer, lines [][]string) error {
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("report: write csv: %w", err)
	}
	return nil
}
