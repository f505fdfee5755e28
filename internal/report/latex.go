package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

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
