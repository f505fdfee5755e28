package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the table in GitHub's Markdown: in each cell the
// selected and the last epoch with the marks of the paper's Table 2, then in
// brackets the paper's mean and ours minus it at the selected epoch.
func (t *Table) WriteMarkdown(w io.Writer) error {
	s := &Sheet{Title: t.Title() + "; selected / last epoch (paper, difference at the selected one).",
		Columns: TextColumns("loss")}
	for _, column := range t.Columns {
		s.Columns = append(s.Columns, SheetColumn{Name: column.String()})
	}
	for i, row := range t.Rows {
		line := []string{row.Name}
		for j := range t.Columns {
			line = append(line, t.Cells[i][j].markdown())
		}
		s.Add(line...)
	}
	var marks []string
	for _, n := range t.MarkNotes() {
		marks = append(marks, n.Markdown+": "+strings.ReplaceAll(n.Text, "\n", " "))
	}
	if marks != nil {
		s.Notes = append(s.Notes, strings.Join(marks, "; ")+".")
	}
	s.Notes = append(s.Notes, t.Remarks()...)
	return s.WriteMarkdown(w)
}

func (c *Cell) markdown() string {
	if c == nil {
		return "-"
	}
	s := c.Selected.markdown() + " / " + c.Last.markdown()
	if c.Paper != nil {
		s += fmt.Sprintf(" (%s, %s)", c.paperText(), c.DifferenceText())
	}
	return s
}

func (e Entry) markdown() string {
	text := e.String()
	if e.Bold {
		text = "**" + text + "**"
	}
	if e.Star {
		text += "★"
	}
	if e.Dagger {
		text += "†"
	}
	return text
}
