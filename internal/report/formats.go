package report

import (
	"cmp"
	"fmt"
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

// LaTeXNeeds names the packages that a document with WriteLaTeX's tables must load.
const LaTeXNeeds = `% needs \usepackage{booktabs}` + "\n"

// WriteLaTeX writes the table with the package booktabs. A table with groups spans two columns of text.
func (t *Table) WriteLaTeX(w io.Writer) error {
	environment, heads, space := "table", "", ""
	if groups := t.Groups(); len(groups) > 1 {
		environment, space = "table*", "\\setlength{\\tabcolsep}{3pt}\n"
		rules := ""
		for _, g := range groups[1:] {
			heads += fmt.Sprintf(" & \\multicolumn{%d}{c}{%s}", g.Columns(), latex(g.Name))
			rules += fmt.Sprintf("\\cmidrule(lr){%d-%d}", g.from+1, g.to)
		}
		heads += " \\\\\n" + rules + "\n"
	}
	align := ""
	names := make([]string, len(t.Headings))
	for k, h := range t.Headings {
		names[k] = latex(h.Name)
		if h.Right {
			align += "r"
		} else {
			align += "l"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{%s}[tb]\n\\centering\n\\footnotesize\n%s", environment, space)
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n%s%s \\\\\n\\midrule\n", align, heads, strings.Join(names, " & "))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for k, item := range row {
			cells[k] = item.latex()
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if t.Title != "" {
		fmt.Fprintf(&b, "\\caption{%s.}\n%s", t.latexCaption(), latexLabel(t.Title))
	}
	fmt.Fprintf(&b, "\\end{%s}\n", environment)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) latexCaption() string {
	sentences := []string{latex(t.Title + t.Detail + t.About)}
	for _, n := range t.markNotes(latexSigns) {
		sentences = append(sentences, n.Sign+": "+latex(n.Text))
	}
	for _, note := range t.Notes {
		sentences = append(sentences, latex(strings.TrimSuffix(note, ".")))
	}
	return strings.Join(sentences, ". ")
}

// latex returns the item with its marks.
func (i Item) latex() string {
	text := cmp.Or(i.LaTeX, latex(i.Visible()))
	if text == absent {
		return "--"
	}
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		text = "$-$" + rest
	}
	if i.Bold {
		text = `\textbf{` + text + "}"
	}
	if i.Star {
		text += `$^\star$`
	}
	if i.Dagger {
		text += `$^\dagger$`
	}
	return text
}

// latexLabel returns the line with the label for \ref, made from the title, such as
// tab:mnist-mlp-preset-code-40-epochs. Titles are unique in a report.
func latexLabel(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.'
	})
	return "\\label{tab:" + strings.Join(words, "-") + "}\n"
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "≥", `$\ge$`, "†", `$\dagger$`,
)

// latex escapes text for LaTeX.
func latex(s string) string { return latexEscapes.Replace(s) }
