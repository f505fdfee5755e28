package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
)

// LaTeXNeeds is what a document has to load before WriteLaTeX's tables.
const LaTeXNeeds = `% needs \usepackage{booktabs,bm}` + "\n"

// WriteLaTeX writes the table in the look of the paper's: under each noise ours
// at the selected and at the last epoch, and the paper's, all with bold type,
// star and dagger. It needs the packages booktabs and bm.
func (t *Table) WriteLaTeX(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\\begin{table*}[tb]\n\\centering\n\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n")
	head, rules, names, next := "", "", "", 2
	for j, column := range t.Columns {
		n := 2
		names += " & selected & last"
		if t.Published(j) {
			n = 3
			names += " & paper"
		}
		head += fmt.Sprintf(" & \\multicolumn{%d}{c}{%s}", n, latex(column.String()))
		rules += fmt.Sprintf("\\cmidrule(lr){%d-%d}", next, next+n-1)
		next += n
	}
	fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n\\toprule\n%s", strings.Repeat("c", next-2), head)
	b.WriteString(" \\\\\n" + rules + "\n" + names + " \\\\\n\\midrule\n")
	for i, row := range t.Rows {
		b.WriteString(latexLoss(row))
		for j := range t.Columns {
			n := 2
			if t.Published(j) {
				n = 3
			}
			b.WriteString(" & " + strings.Join(t.Cells[i][j].latex()[:n], " & "))
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\caption{" + latex(t.Title()) + ". " + latexMarks)
	for _, note := range t.Remarks() {
		b.WriteString(" " + strings.TrimSuffix(latex(note), ".") + ".")
	}
	fmt.Fprintf(&b, "}\n%s\\end{table*}\n", latexLabel(t.name()))
	_, err := io.WriteString(w, b.String())
	return err
}

const latexMarks = `Selected: at the epoch of the lowest loss on noisy validation labels. ` +
	`Bold: best or tied (Welch's test, $p \ge .05$, each pair alone as in the paper; single runs: within $.5$) ` +
	`without the true $T$; ` +
	`$\star$: with the true $T$, and better; ` +
	`$\dagger$: with $\hat{T}$ better than with $T = I$, no noise injected.`

// latex returns the three entries of a cell.
func (c *Cell) latex() []string {
	if c == nil {
		return []string{"--", "--", ""}
	}
	published := ""
	if p := c.Paper; p != nil {
		published = p.latex()
	}
	return []string{c.Selected.latex(), c.Last.latex(), published}
}

func (e Entry) latex() string {
	text := strings.ReplaceAll(e.String(), "±", `\pm`)
	if e.Bold {
		text = `\bm{` + text + "}"
	}
	if e.Star {
		text += `^\star`
	}
	if e.Dagger {
		text += `^\dagger`
	}
	return "$" + text + "$"
}

// latexLabel is the line of a label that \ref takes: a title in letters and digits, such as
// tab:mnist-mlp-preset-code-40-epochs. No two tables of a report have the same name.
func latexLabel(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.'
	})
	return "\\label{tab:" + strings.Join(words, "-") + "}\n"
}

// latexLoss writes the title of a loss with its own settings, and an estimated T as the paper
// does, forward $\hat{T}$.
func latexLoss(r Row) string {
	loss, hat := losses.All.Named(r.Loss), ""
	if loss.T == losses.EstimatedT {
		loss, hat = losses.All.Named(loss.FormOf), ` $\hat{T}$`
	}
	return latex(cmp.Or(loss.Title, loss.Name, r.Loss)) + hat + latex(strings.TrimPrefix(r.Name, r.Loss))
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "≥", `$\ge$`, "†", `$\dagger$`,
)

// latex writes text so that it stands as it is.
func latex(s string) string { return latexEscapes.Replace(s) }
