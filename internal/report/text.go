package report

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	lineWidth = 100 // of a terminal, in characters
	gap       = 2   // spaces between columns, twice that between groups
)

// WriteText writes the table aligned for a terminal. If it is too wide, it writes each group as a separate block.
func (t *Table) WriteText(w io.Writer) error {
	lines, width := t.lines()
	parts := []string{lines}
	if groups := t.Groups(); width > lineWidth && len(groups) > 1 {
		parts = nil
		for _, g := range groups[1:] {
			lines, _ := t.only(g).lines()
			parts = append(parts, lines)
		}
	}
	var notes []string
	for _, n := range t.markNotes(textSigns) {
		notes = append(notes, n.Sign+"  "+n.Text)
	}
	if notes = append(notes, t.Notes...); len(notes) > 0 {
		parts = append(parts, strings.Join(notes, "\n")+"\n")
	}
	_, err := io.WriteString(w, t.heading(t.Detail)+strings.Join(parts, "\n"))
	return err
}

// only returns the first column and the columns of a group, without rows that are empty in the group.
func (t *Table) only(g Group) *Table {
	part := &Table{Headings: slices.Concat(t.Headings[:1], t.Headings[g.from:g.to])}
	for _, row := range t.Rows {
		if slices.ContainsFunc(row[g.from:g.to], func(i Item) bool { return i.Text != "" && i.Text != absent }) {
			part.Rows = append(part.Rows, slices.Concat(row[:1], row[g.from:g.to]))
		}
	}
	return part
}

// lines lays out the columns under the names of their groups and returns their width.
func (t *Table) lines() (text string, width int) {
	lines := make([][]string, 1+len(t.Rows))
	widths, space := make([]int, len(t.Headings)), make([]int, len(t.Headings))
	for k, h := range t.Headings {
		room := 0 // for marks
		for _, row := range t.Rows {
			room = max(room, utf8.RuneCountInString(row[k].textMarks()))
		}
		lines[0] = append(lines[0], h.Name+strings.Repeat(" ", room))
		for i, row := range t.Rows {
			lines[i+1] = append(lines[i+1], row[k].Visible()+pad(row[k].textMarks(), -room))
		}
		for _, line := range lines {
			widths[k] = max(widths[k], utf8.RuneCountInString(line[k]))
		}
		space[k] = min(k, 1) * gap
	}
	names := ""
	for k, g := range t.Groups() {
		space[g.from] = min(k, 1) * 2 * gap
		wide := 0
		for j := g.from; j < g.to; j++ {
			wide += space[j] + widths[j]
		}
		name := strings.Repeat(" ", space[g.from]) + g.Name
		more := max(0, utf8.RuneCountInString(name)-wide) // columns may be narrower than their name
		widths[g.to-1] += more
		names += pad(name, -wide-more)
		width += wide + more
	}
	if names = strings.TrimRight(names, " "); names != "" {
		names += "\n"
	}
	return names + t.align(lines, widths, space), width
}

// textMarks returns the signs of an item's marks after a space, or nothing.
func (i Item) textMarks() (text string) {
	for k, has := range i.list() {
		if has {
			text += textSigns[k]
		}
	}
	if text != "" {
		text = " " + text
	}
	return text
}

// align aligns lines in columns of the widths, with space before each column.
func (t *Table) align(lines [][]string, widths, space []int) string {
	var b strings.Builder
	for _, line := range lines {
		out := ""
		for k, text := range line {
			width := -widths[k]
			if t.Headings[k].Right {
				width = widths[k]
			}
			out += strings.Repeat(" ", space[k]) + pad(text, width)
		}
		b.WriteString(strings.TrimRight(out, " ") + "\n")
	}
	return b.String()
}

// pad fills s with spaces to the width, on the left, or on the right if the width is negative.
func pad(s string, width int) string {
	fill := strings.Repeat(" ", max(0, max(width, -width)-utf8.RuneCountInString(s)))
	if width < 0 {
		return s + fill
	}
	return fill + s
}
