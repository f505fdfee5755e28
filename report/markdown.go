package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the table in GitHub's Markdown: in each cell the
// selected and the last epoch with the marks of the paper's Table 2, then in
// brackets the paper's mean and ours minus it of the nearer epoch.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; selected / last epoch (paper, difference of the nearer).\n\n", t.Title())
	b.WriteString("| loss |")
	for _, column := range t.Columns {
		b.WriteString(" " + escape(column.String()) + " |")
	}
	b.WriteString("\n|:---|" + strings.Repeat(":---|", len(t.Columns)) + "\n")
	for i, row := range t.Rows {
		b.WriteString("| " + escape(row.Name) + " |")
		for j := range t.Columns {
			b.WriteString(" " + t.Cells[i][j].markdown() + " |")
		}
		b.WriteString("\n")
	}
	var marks []string
	for _, n := range markNotes {
		if t.marked(n.of) {
			marks = append(marks, n.markdown+": "+strings.ReplaceAll(n.text, "\n", " "))
		}
	}
	if marks != nil {
		b.WriteString("\n" + strings.Join(marks, "; ") + ".\n")
	}
	for _, note := range t.diverged() {
		b.WriteString("\n" + escape(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Cell) markdown() string {
	if c == nil {
		return "-"
	}
	s := c.SelectedMarks.markdown(c.Selected) + " / " + c.LastMarks.markdown(c.Last)
	if published, difference := c.paperText(); published != "" {
		s += fmt.Sprintf(" (%s, %s)", published, difference)
	}
	return s
}

func (m Marks) markdown(s Sample) string {
	text := s.String()
	if m.Bold {
		text = "**" + text + "**"
	}
	if m.Star {
		text += "★"
	}
	if m.Dagger {
		text += "†"
	}
	return text
}

// escape keeps a name from ending its cell.
func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
