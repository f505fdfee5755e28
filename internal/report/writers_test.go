package report

import (
	"io"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

// A table in each format, with special characters escaped.
func TestWriters(t *testing.T) {
	s := Table{Title: "Made up", Headings: Headings("name", "n>"), Notes: []string{"no more"}}
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
		expect.Same(t, test.want, reporttest.Written(t, test.write), name)
	}
}

// Rows have the titles of their losses, with their own settings; unknown losses keep their
// names.
func TestLaTeXTitles(t *testing.T) {
	for row, want := range map[Row]string{
		{Name: "elr (lambda 2)", Loss: "elr"}:                               "ELR (lambda 2)",
		{Name: "nce-rce", Loss: "nce-rce"}:                                  "NCE+RCE",
		{Name: "forward", Loss: "forward"}:                                  "forward",
		{Name: "forward-estimated (clip 1e-07)", Loss: "forward-estimated"}: `forward $\hat{T}$ (clip 1e-07)`,
		{Name: "my_loss", Loss: "my_loss"}:                                  `my\_loss`,
	} {
		expect.Same(t, want, latexLoss(row), row.Name)
	}
}

func clothingRun(id, dataset, loss, weights string, seed uint64, accuracy float64) store.Result {
	r := reporttest.ResultOf(dataset, "resnet50", loss, "none", 0, seed, accuracy, accuracy+.5)
	r.ID = id
	r.Config.Preset, r.Config.Clip, r.Config.Weights = "paper", 0, weights
	return r
}

// Quick runs are left out. Runs of a row in other settings have separate lines: they are neither more seeds of
// the row nor later results of the same run. Each seed of row 8 starts from its own run of row 6, in the same settings.
func TestTable3(t *testing.T) {
	const first, weights = losses.FirstLoss, "/weights/r50"
	row6 := func(id string, seed uint64, accuracy float64, change func(*config.Config)) store.Result {
		r := clothingRun(id, "clothing1m", "forward", weights, seed, accuracy)
		change(&r.Config)
		return r
	}
	row8 := func(id, from string, seed uint64, accuracy float64) store.Result {
		return clothingRun(id, "clothing1m-clean", first, "/runs/"+from+"/checkpoints/best.safetensors", seed, accuracy)
	}
	same := func(*config.Config) {}
	quick := clothingRun("q", "clothing1m", "backward", "", 1, 40)
	quick.Config.Quick = true
	part := clothingRun("p", "clothing1m-clean", first, weights, 1, 75)
	part.Config.Examples.Train, part.Config.Epochs, part.DataVariant = 50, 5, "own"
	again := row6("d", 1, 10, func(c *config.Config) { c.BatchSize = 9 })
	again.Finished = "2027-01-01T00:00:00Z"
	runs := FromResults(
		clothingRun("ce", "clothing1m", first, "", 1, 68.9), quick, part, again,
		row6("f1", 1, 69.8, same), row6("f2", 2, 69.9, same), row8("t1", "f1", 1, 80.3), row8("t2", "f2", 2, 81.3),
		row6("a", 5, 55, func(c *config.Config) { c.Weights = "" }),
		row6("b", 1, 70, func(c *config.Config) { c.Preset, c.Clip = "code", 1e-7 }),
		row6("c", 2, 40, func(c *config.Config) { c.BatchSize = 7 }),
		row6("e", 3, 50, func(c *config.Config) { c.Noise.Kind, c.Noise.Level = "symmetric", .2 }),
		row6("f", 4, 60, func(c *config.Config) { c.Clip = .01 }),
		reporttest.Result("forward", "none", 0, 1, 97, 97),
	)
	if !HasTable3(runs) || HasTable3(FromResults(reporttest.Block()...)) {
		t.Error("the runs of Table 3 are not told from others")
	}
	reporttest.Holds(t, "no runs", reporttest.Written(t, Table3(nil).WriteText), "no run: make clothing1m")
	expect.Same(t, `Table 3 of the paper: ResNet-50 on Clothing1M, test accuracy in %

| row | loss | init | training | seeds | selected | last | paper | diff | note |
|---:|:---|:---|:---|---:|---:|---:|---:|---:|:---|
| 4 | cross-entropy | random | 1M | 1 | 68.90 | 69.40 | 68.94 | -0.04 |  |
| 5 | backward | imagenet | 1M | - | - | - | 69.13 |  | no run: make clothing1m |
| 6 | forward | r50 | 1M | 2 | 69.85 ± 0.07 | 70.35 ± 0.07 | 69.84 | +0.01 |  |
| 6 | forward | random | 1M | 1 | 55.00 | 55.50 | 69.84 | -14.84 |  |
| 6 | forward (clip 0.01) | r50 | 1M | 1 | 60.00 | 60.50 | 69.84 | -9.84 |  |
| 6 | forward | r50 | 1M | 1 | 40.00 | 40.50 | 69.84 | -29.84 | batch_size 7 |
| 6 | forward | r50 | 1M | 1 | 10.00 | 10.50 | 69.84 | -59.84 | batch_size 9 |
| 6 | forward | r50 | 1M | 1 | 70.00 | 70.50 | 69.84 | +0.16 | preset code |
| 6 | forward | r50 | 1M | 1 | 50.00 | 50.50 | 69.84 | -19.84 | symmetric 0.2 |
| 7 | cross-entropy | r50 | 50k | 1 | 75.00 | 75.50 | 75.19 | -0.19 | own, 5 epochs in place of 10, examples.train 50 |
| 8 | cross-entropy | row 6 | 50k | 2 | 80.80 ± 0.71 | 81.30 ± 0.71 | 80.38 | +0.42 |  |
`, reporttest.Written(t, Table3(runs).WriteMarkdown), "table 3")

}

// selected returns the texts of some columns.
func selected(table *Table, names ...string) [][]string {
	out := make([][]string, len(table.Rows))
	for _, name := range names {
		k := slices.IndexFunc(table.Headings, func(h Heading) bool { return h.Name == name })
		for i, row := range table.Rows {
			out[i] = append(out[i], row[k].Text)
		}
	}
	return out
}
