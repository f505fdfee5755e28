package report

import (
	"io"
	"strings"
)

// WriteMarkdown writes the table in GitHub's Markdown, with each group in one column.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(t.heading(t.Detail + t.About))
	var columns []Group
	for _, g := range t.Groups() {
		if g.Name != "" {
			columns = append(columns, g)
			continue
		}
		for k := g.from; k < g.to; k++ {
			columns = append(columns, Group{"", k, k + 1})
		}
	}
	head, rule := "|", "|"
	for _, g := range columns {
		var names []string
		for _, h := range t.Headings[g.from:g.to] {
			names = append(names, h.Name)
		}
		name := strings.Join(names, " / ")
		if g.Name != "" {
			name = g.Name + ": " + name
		}
		head += " " + name + " |"
		if t.Headings[g.from].Right {
			rule += "---:|"
		} else {
			rule += ":---|"
		}
	}
	b.WriteString(head + "\n" + rule + "\n")
	for _, row := range t.Rows {
		b.WriteString("|")
		for _, g := range columns {
			b.WriteString(" " + markdownCell(row[g.from:g.to]) + " |")
		}
		b.WriteString("\n")
	}
	var marks []string
	for _, n := range t.markNotes(markdownSigns) {
		marks = append(marks, n.Sign+": "+n.Text)
	}
	if marks != nil {
		b.WriteString("\n" + strings.Join(marks, "; ") + ".\n")
	}
	for _, note := range t.Notes {
		b.WriteString("\n" + escape(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownCell joins the items of a group, with their marks.
func markdownCell(items []Item) string {
	var texts []string
	some := false
	for _, item := range items {
		text := escape(item.Visible())
		if item.Bold {
			text = "**" + text + "**"
		}
		if item.Star {
			text += "★"
		}
		if item.Dagger {
			text += "†"
		}
		if text != "" {
			texts = append(texts, text)
		}
		some = some || text != "" && text != absent
	}
	if !some && len(texts) > 0 {
		return absent
	}
	return strings.Join(texts, " / ")
}

// escape escapes the characters that would end a cell.
func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
