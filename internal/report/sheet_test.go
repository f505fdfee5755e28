package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/report/reporttest"
)

func TestSheet(t *testing.T) {
	s := Sheet{
		Title: "Made up", Columns: TextColumns("name", "n>"), Notes: []string{"no more"},
	}
	s.Add("a|b", "1")
	s.Add("100 %, T_ij", "23")
	var text, markdown, latex, csv strings.Builder
	for _, err := range []error{s.WriteText(&text), s.WriteMarkdown(&markdown), s.WriteLaTeX(&latex), s.WriteCSV(&csv)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ name, got, want string }{
		{"text", text.String(), "Made up\n\nname          n\na|b           1\n100 %, T_ij  23\n\nno more\n"},
		{"markdown", markdown.String(), "Made up\n\n| name | n |\n|:---|---:|\n| a\\|b | 1 |\n| 100 %, T_ij | 23 |\n\nno more\n"},
		{"latex", latex.String(), `\begin{table}[tb]
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
		{"csv", csv.String(), "name,n\na|b,1\n\"100 %, T_ij\",23\n"},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestWriteLaTeX(t *testing.T) {
	var b strings.Builder
	if err := Tables(FromResults(reporttest.Block()...))[0].WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}
	want := `\begin{table*}[tb]
\centering
\footnotesize
\setlength{\tabcolsep}{3pt}
\begin{tabular}{lcccccc}
\toprule
 & \multicolumn{3}{c}{no noise} & \multicolumn{3}{c}{asymmetric 0.6} \\
\cmidrule(lr){2-4}\cmidrule(lr){5-7}
 & selected & last & paper & selected & last & paper \\
\midrule
cross-entropy & $97.9 \pm 0.1$ & $98.0 \pm 0.1$ & $97.9 \pm 0.0$ & $53.5 \pm 1.0$ & $57.0 \pm 1.0$ & $53.0 \pm 0.6$ \\
forward & $97.9 \pm 0.1$ & $97.9 \pm 0.1$ & $97.9 \pm 0.0$ & $\bm{97.3 \pm 0.1}^\star$ & $\bm{97.1 \pm 0.1}^\star$ & $\bm{97.3 \pm 0.0}^\star$ \\
forward $\hat{T}$ & -- & -- &  & $\bm{70.0 \pm 3.0}$ & $\bm{66.0 \pm 3.0}$ & $64.9 \pm 4.4$ \\
\bottomrule
\end{tabular}
\caption{mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in \%, mean $\pm$ sample standard deviation. ` + latexMarks + `}
\label{tab:mnist-mlp-preset-code-40-epochs}
\end{table*}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("latex (-want +got):\n%s", diff)
	}
}

// Rows have the titles of their losses, with their own settings; what is no loss of the table
// stands as it is.
func TestLaTeXTitles(t *testing.T) {
	for row, want := range map[Row]string{
		{Name: "elr (lambda 2)", Loss: "elr"}:                                                       "ELR (lambda 2)",
		{Name: "nce-rce", Loss: "nce-rce"}:                                                          "NCE+RCE",
		{Name: "forward", Loss: "forward"}:                                                          "forward",
		{Name: "gold-estimated (trusted 5)", Loss: "gold-estimated"}:                                `gold $\hat{T}$ (trusted 5)`,
		{Name: "volume-minimization-estimated (clip 1e-07)", Loss: "volume-minimization-estimated"}: `volume-minimization $\hat{T}$ (clip 1e-07)`,
		{Name: "my_loss", Loss: "my_loss"}:                                                          `my\_loss`,
		{Name: "forward-estimated (vertices kappa 0.3)", Loss: "forward-estimated", Oracle: false}:  `forward $\hat{T}$ (vertices kappa 0.3)`,
	} {
		if got := latexLoss(row); got != want {
			t.Errorf("%s: %s, want %s", row.Name, got, want)
		}
	}
}

// Tables of one report have labels of their own, of characters that \ref takes.
func TestLaTeXLabels(t *testing.T) {
	short := reporttest.Result("forward", "asymmetric", .6, 1, 90, 90)
	short.Config.BatchSize = 64
	quick := reporttest.Result("forward", "asymmetric", .6, 1, 90, 90)
	quick.Config.Quick, quick.DataVariant = true, "JPEG copy"
	seen := map[string]bool{}
	for _, table := range Tables(FromResults(append(reporttest.Block(), short, quick)...)) {
		label := latexLabel(table.name())
		if seen[label] || strings.Trim(label, "\\{}\nabcdefghijklmnopqrstuvwxyz0123456789:.-") != "" {
			t.Errorf("label %s", label)
		}
		seen[label] = true
	}
	if len(seen) != 3 {
		t.Errorf("labels %v, want 3", seen)
	}
}
