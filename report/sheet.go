package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Sheet is a table of plain strings.
type Sheet struct {
	Title string
	Head  []string
	Lines [][]string
	Notes []string
	// Numbers are the columns aligned right.
	Numbers []bool
}

// WriteText writes the sheet aligned for a terminal.
func (s *Sheet) WriteText(w io.Writer) error {
	widths := make([]int, len(s.Head))
	all := append([][]string{s.Head}, s.Lines...)
	for _, line := range all {
		for k, text := range line {
			widths[k] = max(widths[k], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	b.WriteString(s.heading())
	for _, line := range all {
		var out strings.Builder
		for k, text := range line {
			width := -widths[k]
			if s.right(k) {
				width = widths[k]
			}
			out.WriteString(pad(text, width) + strings.Repeat(" ", gap))
		}
		b.WriteString(strings.TrimRight(out.String(), " ") + "\n")
	}
	if len(s.Notes) > 0 {
		b.WriteString("\n" + strings.Join(s.Notes, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading is the title, if there is one, with an empty line after it.
func (s *Sheet) heading() string {
	if s.Title == "" {
		return ""
	}
	return s.Title + "\n\n"
}

func (s *Sheet) right(column int) bool { return column < len(s.Numbers) && s.Numbers[column] }

// WriteMarkdown writes the sheet in GitHub's Markdown.
func (s *Sheet) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(s.heading())
	row := func(line []string) {
		b.WriteString("|")
		for _, text := range line {
			b.WriteString(" " + escape(text) + " |")
		}
		b.WriteString("\n")
	}
	row(s.Head)
	b.WriteString("|")
	for k := range s.Head {
		if s.right(k) {
			b.WriteString("---:|")
		} else {
			b.WriteString(":---|")
		}
	}
	b.WriteString("\n")
	for _, line := range s.Lines {
		row(line)
	}
	for _, note := range s.Notes {
		b.WriteString("\n" + escape(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteLaTeX writes the sheet as a table that needs the package booktabs.
func (s *Sheet) WriteLaTeX(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\\begin{table}[tb]\n\\centering\n\\footnotesize\n\\begin{tabular}{")
	for k := range s.Head {
		if s.right(k) {
			b.WriteString("r")
		} else {
			b.WriteString("l")
		}
	}
	b.WriteString("}\n\\toprule\n" + latexLine(s.Head) + "\\midrule\n")
	for _, line := range s.Lines {
		b.WriteString(latexLine(line))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if s.Title != "" {
		fmt.Fprintf(&b, "\\caption{%s.}\n", latex(strings.Join(append([]string{s.Title}, s.Notes...), ". ")))
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

// WriteCSV writes head and lines, without title and notes.
func (s *Sheet) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(append([][]string{s.Head}, s.Lines...)); err != nil {
		return fmt.Errorf("report: write csv: %w", err)
	}
	return nil
}
