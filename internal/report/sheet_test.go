package report

import (
	"io"
	"testing"

	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// A sheet in each format, with what the format would read as its own escaped.
func TestSheet(t *testing.T) {
	s := Sheet{Title: "Made up", Columns: TextColumns("name", "n>"), Notes: []string{"no more"}}
	s.Add("a|b", "1")
	s.Add("100 %, T_ij", "23")
	for name, test := range map[string]struct {
		write func(io.Writer) error
		want  string
	}{
		"text": {s.WriteText, "Made up\n\nname          n\na|b           1\n100 %, T_ij  23\n\nno more\n"},
		"Markdown": {s.WriteMarkdown,
			"Made up\n\n| name | n |\n|:---|---:|\n| a\\|b | 1 |\n| 100 %, T_ij | 23 |\n\nno more\n"},
		"LaTeX": {s.WriteLaTeX, `\begin{table}[tb]
\centering
\footnotesize
\begin{tabular}{lr}
\toprule
name & n \\
\midrule
a|b & 1 \\
100 \%, T\_ij & 23 \\
\bottomrule
\end{tabular}
\caption{Made up. no more.}
\label{tab:made-up}
\end{table}
`},
		"CSV": {s.WriteCSV, "name,n\na|b,1\n\"100 %, T_ij\",23\n"},
	} {
		reporttest.Same(t, name, test.want, reporttest.Written(t, test.write))
	}
}

// Rows have the titles of their losses, with their own settings; what is no loss of the table
// stands as it is.
func TestLaTeXTitles(t *testing.T) {
	for row, want := range map[Row]string{
		{Name: "elr (lambda 2)", Loss: "elr"}:                               "ELR (lambda 2)",
		{Name: "nce-rce", Loss: "nce-rce"}:                                  "NCE+RCE",
		{Name: "forward", Loss: "forward"}:                                  "forward",
		{Name: "forward-estimated (clip 1e-07)", Loss: "forward-estimated"}: `forward $\hat{T}$ (clip 1e-07)`,
		{Name: "my_loss", Loss: "my_loss"}:                                  `my\_loss`,
	} {
		if got := latexLoss(row); got != want {
			t.Errorf("%s: %s, want %s", row.Name, got, want)
		}
	}
}
