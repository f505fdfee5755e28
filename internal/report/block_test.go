package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

func blocksOf(runs []*Run) []*Block { return Blocks(Cells(runs)) }

func names(rows []Row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

// Runs that differ in more than loss, noise and seed are in different blocks; of a repeated run, the later counts.
func TestBlocksKeepDifferentRunsApart(t *testing.T) {
	short := reporttest.Result("forward", "asymmetric", .6, 0, 80, 80)
	short.Config.Epochs = 2
	moved := reporttest.Result("forward", "asymmetric", .6, 3, 97, 97)
	moved.Config.Device, moved.Config.Workers, moved.Config.Data = "cuda", 4, "elsewhere"
	again := reporttest.Result("forward", "asymmetric", .6, 0, 96, 96)
	again.Finished = "2026-02-01T00:00:00Z"
	other := reporttest.Result("forward-estimated", "asymmetric", .6, 0, 90, 90)
	other.Config.Estimator = config.Estimator{Name: "class-quantile", Kappa: .3}
	blocks := blocksOf(FromResults(append(reporttest.Block(), short, moved, again, other)...))
	if len(blocks) != 2 || blocks[0].Epochs != 2 || blocks[1].Epochs != 40 {
		t.Fatalf("%d blocks, want one of 2 and one of 40 epochs", len(blocks))
	}
	block := blocks[1]
	want := []string{"cross-entropy", "forward", "forward-estimated", "forward-estimated (class-quantile kappa 0.3)"}
	expect.Same(t, want, names(block.Rows), "rows")
	cell := block.Cells[1][1]
	expect.Same(t, []uint64{0, 1, 2, 3}, cell.Seeds, "seeds") // 3 ran elsewhere, 0 twice
	expect.Same(t, "2026-02-01", cell.Date, "date")
	expect.Same(t, (96+97.3+97.4+97)/4, cell.Selected.Mean, "mean", cmpopts.EquateApprox(0, 1e-9))
}

// A table in each format: losses in the order of Table 2, and notes on the runs below. The text is too wide for a
// terminal, so each noise has a separate block, without the losses that were not run with it.
func TestFormats(t *testing.T) {
	results := reporttest.Block()
	results[0].State = store.Diverged
	results[0].CleanAccuracy = &store.CleanAccuracy{Estimate: 91.25, Low: 88, High: 93.96}
	for k := range results {
		results[k].Config.Note = "seed 1 is stuck."
	}
	if results[0].Config.ID() != reporttest.Block()[0].Config.ID() {
		t.Error("a note changes the ID of a run")
	}
	slices.Reverse(results)
	block := blocksOf(FromResults(results...))[0]
	const title = "mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation"
	const worth = "forward (seed 0): right on about 91.2 % of new examples, 88.0 to 94.0 judging by noisy " +
		"validation labels and T (90 % interval)"
	const diverged = "forward, asymmetric 0.6: 1 of 3 runs diverged and count with their accuracy at that point"
	const marks = "b  best or tied (Welch's test, p ≥ .05 for each pair, as in the paper) without the true T\n" +
		"*  with the true T, and better\n"
	const about = "; selected: the epoch with the lowest loss on noisy validation labels; " +
		"diff: ours minus the paper's"
	for name, test := range map[string]struct{ got, want string }{
		"text": {reporttest.Written(t, block.Table().WriteText), title + `

                 no noise
loss               selected        last  paper  diff
cross-entropy    97.9 ± 0.1  98.0 ± 0.1   97.9  +0.0
forward          97.9 ± 0.1  97.9 ± 0.1   97.9  +0.0

                     asymmetric 0.6
loss                   selected           last     paper     diff
cross-entropy        53.5 ± 1.0     57.0 ± 1.0      53.0     +0.5
forward              97.3 ± 0.1 b*  97.1 ± 0.1 b*   97.3 b*  +0.0
forward-estimated    70.0 ± 3.0 b   66.0 ± 3.0 b    64.9     +5.1

` + marks + worth + "\n" + diverged + "\nnote: seed 1 is stuck.\n"},
		"Markdown": {reporttest.Written(t, block.Table().WriteMarkdown), title + about + `

| loss | no noise: selected / last / paper / diff | asymmetric 0.6: selected / last / paper / diff |
|:---|---:|---:|
| cross-entropy | 97.9 ± 0.1 / 98.0 ± 0.1 / 97.9 / +0.0 | 53.5 ± 1.0 / 57.0 ± 1.0 / 53.0 / +0.5 |
| forward | 97.9 ± 0.1 / 97.9 ± 0.1 / 97.9 / +0.0 | **97.3 ± 0.1**★ / **97.1 ± 0.1**★ / **97.3**★ / +0.0 |
| forward-estimated | - | **70.0 ± 3.0** / **66.0 ± 3.0** / 64.9 / +5.1 |

**bold**: best or tied (Welch's test, p ≥ .05 for each pair, as in the paper) without the true T; ` +
			"★: with the true T, and better.\n\n" + worth + "\n\n" + diverged + "\n\nnote: seed 1 is stuck.\n"},
		"LaTeX": {reporttest.Written(t, block.Table().WriteLaTeX), `\begin{table*}[tb]
\centering
\footnotesize
\setlength{\tabcolsep}{3pt}
\begin{tabular}{lrrrrrrrr}
\toprule
 & \multicolumn{4}{c}{no noise} & \multicolumn{4}{c}{asymmetric 0.6} \\
\cmidrule(lr){2-5}\cmidrule(lr){6-9}
loss & selected & last & paper & diff & selected & last & paper & diff \\
\midrule
cross-entropy & 97.9 $\pm$ 0.1 & 98.0 $\pm$ 0.1 & 97.9 $\pm$ 0.0 & +0.0 & ` +
			`53.5 $\pm$ 1.0 & 57.0 $\pm$ 1.0 & 53.0 $\pm$ 0.6 & +0.5 \\
forward & 97.9 $\pm$ 0.1 & 97.9 $\pm$ 0.1 & 97.9 $\pm$ 0.0 & +0.0 & ` + `\textbf{97.3 $\pm$ 0.1}$^\star$ & ` +
			`\textbf{97.1 $\pm$ 0.1}$^\star$ & \textbf{97.3 $\pm$ 0.0}$^\star$ & +0.0 \\
forward $\hat{T}$ & -- & -- &  &  & \textbf{70.0 $\pm$ 3.0} & \textbf{66.0 $\pm$ 3.0} & 64.9 $\pm$ 4.4 & +5.1 \\
\bottomrule
\end{tabular}
\caption{` + latex(title+about) + `. \textbf{bold}: best or tied (Welch's test, p $\ge$ .05 for each pair, as in ` +
			`the paper) without the true T. $\star$: with the true T, and better. ` + latex(worth) + ". " + diverged +
			`. note: seed 1 is stuck.}
\label{tab:mnist-mlp-preset-code-40-epochs}
\end{table*}
`},
	} {
		expect.Same(t, test.want, test.got, name)
	}
}

// A line of CSV has a cell's settings and figures, the mean error of T-hat over seeds, and no paper's number for a loss
// that is not in the paper.
func TestCellsTable(t *testing.T) {
	results := append(reporttest.Block(), reporttest.Result("mystery", "asymmetric", .6, 7, 50, 51))
	for k := range results {
		if results[k].Config.Loss == "forward-estimated" {
			results[k].Transition = &store.TransitionInfo{Estimated: [][]float64{{1}}, EstimateError: .1 * metrics.Number(k)}
		}
	}
	table := CellsTable(blocksOf(FromResults(results...)))
	got := selected(table, "table", "row", "noise.kind", "noise.level", "optimizer.name", "seeds", "selected_mean",
		"selected_std", "last_mean", "bold", "estimate_error", "paper", "paper_std", "difference", "date")
	const name = "mnist, mlp, preset code, 40 epochs"
	day := "2026-01-02"
	want := [][]string{
		{name, "cross-entropy", "none", "0", "adagrad", "0 1 2", "97.900", "0.100", "98.000", "false", "", "97.9", "0.0",
			"0.000", day},
		{name, "forward", "none", "0", "adagrad", "0 1 2", "97.900", "0.100", "97.900", "false", "", "97.9", "0.0", "0.000",
			day},
		{name, "cross-entropy", "asymmetric", "0.6", "adagrad", "0 1 2", "53.500", "1.000", "57.000", "false", "", "53.0",
			"0.6", "0.500", day},
		{name, "forward", "asymmetric", "0.6", "adagrad", "0 1 2", "97.300", "0.100", "97.100", "true", "", "97.3", "0.0",
			"0.000", day},
		{name, "forward-estimated", "asymmetric", "0.6", "adagrad", "0 1 2", "70.000", "3.000", "66.000", "true", "0.7000",
			"64.9", "4.4", "5.100", day},
		{name, "mystery", "asymmetric", "0.6", "adagrad", "7", "50.000", "", "51.000", "false", "", "", "", "", day},
	}
	expect.Same(t, want, got, "cells")
}

// A table names the file of T without folders above the working directory.
func TestFilesFromHere(t *testing.T) {
	here, err := os.Getwd()
	expect.OK(t, err)
	for file, want := range map[string]string{
		filepath.Join(here, "noise", "T.csv"): "noise/T.csv",
		"/elsewhere/T.csv":                    "/elsewhere/T.csv",
		"T.csv":                               "T.csv", // from a table read from CSV
	} {
		r := reporttest.Result("forward", "matrix", 0, 1, 90, 90)
		r.Config.Noise.File, r.Config.Transition = file, file
		block := blocksOf(FromResults(r))[0]
		expect.Same(t, "matrix "+want, block.Columns[0].String(), "noise")
		if got := block.Rows[0].Name; !strings.Contains(got, "T from "+want) {
			t.Errorf("%q, want T from %s", got, want)
		}
	}
}

// The name of a row shows its file of known labels, whether or not its loss has other rows; drawn labels have no file.
func TestTrustedRowsSaySo(t *testing.T) {
	named := reporttest.Result("forward-estimated", "asymmetric", .6, 1, 97, 97)
	drawn, alone := named, named
	named.Config.Trusted, drawn.Config.Trusted = "2", "5"
	drawn.Config.Estimator = config.Estimator{Name: "vertices", Quantile: .97}
	for _, test := range []struct {
		results []store.Result
		want    []string
	}{
		{[]store.Result{named}, []string{"forward-estimated (trusted 2)"}},
		{[]store.Result{named, alone}, []string{"forward-estimated", "forward-estimated (trusted 2)"}},
		{[]store.Result{drawn}, []string{"forward-estimated (vertices, trusted 5)"}},
	} {
		expect.Same(t, test.want, names(blocksOf(FromResults(test.results...))[0].Rows), "rows")
	}
}

// Full runs, quick runs and runs on another copy of the data are in separate
// tables, with different titles and labels.
func TestBlocksSayWhatTheyHold(t *testing.T) {
	full := reporttest.Result("forward", "asymmetric", .6, 1, 97, 97)
	quick, copied, wide, short, whole := full, full, full, full, full
	quick.Config.Quick, quick.Config.Epochs = true, 3
	quick.Config.Examples = config.Examples{Train: 5000, Test: 2000}
	copied.DataVariant = "JPEG copy"
	wide.Config.Optimizer.Milestones, wide.Config.StepsPerEpoch = []int{5, 15}, 390
	short.Config.Epochs, short.Config.Examples.Train = 3, 6000
	whole.Config.Quick, whole.Config.Epochs = true, 3
	labels := map[string]bool{}
	blocks := blocksOf(FromResults(quick, wide, copied, full, short, whole))
	titles := func(blocks []*Block) (list []string) {
		for _, b := range blocks {
			table := b.Table()
			list = append(list, table.Title+table.Detail)
			labels[latexLabel(table.Title)] = true
			if about := b.About(); strings.HasSuffix(about, "do not quote") != b.Quick {
				t.Errorf("the page says %q", about)
			}
		}
		return list
	}
	const what = ", 1 seed: test accuracy in %, mean ± sample standard deviation"
	want := []string{
		"mnist, mlp, preset code with examples.train 6000, 3 epochs in place of 40" + what,
		"mnist, mlp, preset code, 40 epochs" + what,
		"mnist, mlp, preset code with steps_per_epoch 390, optimizer.milestones [5,15], 40 epochs" + what,
		"mnist (JPEG copy), mlp, preset code, 40 epochs" + what,
		"quick, do not quote: mnist, mlp, preset code, 3 epochs in place of 40" + what,
		"quick, do not quote: mnist, mlp, preset code with examples.train 5000, examples.test 2000, 3 epochs in place of 40" +
			what,
	}
	expect.Same(t, want, titles(blocks), "titles")
	if text := fmt.Sprint(labels); len(labels) != len(want) || strings.ContainsAny(text, "%,()_") { // not allowed in \ref
		t.Errorf("labels %s", text)
	}
	cells, err := ReadCells(strings.NewReader(reporttest.Written(t, CellsTable(blocks).WriteCSV)))
	expect.OK(t, err)
	expect.Same(t, want, titles(Blocks(cells)), "titles of kept cells")
}

// If a user's file changes between two runs, they are not seeds of the same cell.
func TestBlocksKeepOwnDataApart(t *testing.T) {
	var runs []*Run
	for seed, sum := range []string{"5f116e0a4b62", "5f116e0a4b62", "14d72eb09d1e", ""} {
		r := reporttest.Result("forward-estimated", "none", 0, uint64(seed), 90, 90)
		r.Config.Dataset, r.Config.Preset, r.Config.Source.Path = "own", "fixed", "/home/own.csv"
		run := FromResults(r)[0]
		if sum != "" {
			run.Environment.Data = map[string]string{"/home/own.csv": sum}
		}
		runs = append(runs, run)
	}
	var got []string
	for _, block := range blocksOf(runs) {
		got = append(got, fmt.Sprint(block.preset(), " ", block.Cells[0][0].Seeds))
	}
	want := []string{"fixed with data 14d72eb0 [2]", "fixed with data 5f116e0a [0 1]", "fixed with data unset [3]"}
	expect.Same(t, want, got, "blocks")
	expect.Same(t, "fixed", blocksOf(runs[:2])[0].preset(), "settings of a block alone")
	moved, more := *runs[1], *runs[1]
	moved.Environment.Data = map[string]string{"/elsewhere/own.csv": "5f116e0a4b62"}
	more.Environment.Data = map[string]string{"/elsewhere/own.csv": "5f116e0a4b62", "/elsewhere/labels.csv": "14d72eb0"}
	// Official data has its variant: the hash of an archive differs from the hashes of its files.
	one, two := FromResults(reporttest.Block()...), FromResults(reporttest.Block()...)
	for k := range one {
		one[k].Environment.Data, two[k].Environment.Data = map[string]string{"a": "1"}, map[string]string{"b": "2"}
	}
	for name, test := range map[string]struct {
		runs []*Run
		want int
	}{
		"one content at two places": {[]*Run{runs[0], &moved}, 1},
		"one with a second file":    {[]*Run{runs[0], &more}, 2},
		"official data":             {slices.Concat(one, two), 1},
	} {
		expect.Same(t, test.want, len(blocksOf(test.runs)), name)
	}
}

// Groups of classes belong to the noise: two groupings make two columns.
func TestGroupsAreColumns(t *testing.T) {
	var results []store.Result
	for _, groups := range []string{"super-classes", "index"} {
		for _, kind := range []string{"none", "symmetric", "asymmetric"} {
			r := reporttest.Result("forward", kind, .2, 1, 60, 60)
			r.Config.Dataset, r.Config.Model, r.Config.Noise.Groups = "cifar100", "resnet44", groups
			results = append(results, r)
		}
	}
	var columns []string
	for _, block := range blocksOf(FromResults(results...)) {
		for _, c := range block.Columns {
			columns = append(columns, c.String())
		}
	}
	want := []string{"no noise", "symmetric 0.2", "asymmetric 0.2 (index)", "asymmetric 0.2 (super-classes)"}
	expect.Same(t, want, columns, "columns")
}

// If T is not known, its estimate has no error; if the data has no test set, accuracies are empty and none is drawn.
func TestUnknown(t *testing.T) {
	results := reporttest.Block()
	for k := range results {
		m := reporttest.Matrices()
		m.Nominal, m.EstimateError = nil, metrics.Number(math.NaN())
		m.Learned, m.LearnedError = m.Estimated, metrics.Number(math.NaN())
		results[k].Transition = m
		results[k].Selected.TestAccuracy, results[k].Last.TestAccuracy = math.NaN(), math.NaN()
	}
	runs := FromResults(results...)
	for _, row := range selected(List(&Study{Runs: runs}), "estimate_error", "learned_error", "selected", "last") {
		expect.Same(t, make([]string, 4), row, "row")
	}
	block := blocksOf(runs)[0]
	for _, c := range block.Filled() {
		if c.EstimateError.N > 0 {
			t.Errorf("a cell with an error of %v", c.EstimateError.Mean)
		}
	}
	if s := block.Sweep("asymmetric"); len(s.Lines) > 0 {
		t.Errorf("lines %+v", s.Lines)
	}
	for _, row := range selected(CellsTable([]*Block{block}), "selected_mean", "selected_std", "last_mean", "last_std",
		"estimate_error") {
		expect.Same(t, make([]string, 5), row, "cell")
	}
}

// Files are compared by content: the same T in two places makes one row and one column, and a
// T that was changed between two runs makes two.
func TestCellsKnowFilesByContent(t *testing.T) {
	run := func(seed uint64, path, sum string) *Run {
		r := reporttest.Result("forward", "matrix", 0, seed, 90, 90)
		r.Config.Noise.File, r.Config.Transition = path, path
		out := FromResults(r)[0]
		if sum != "" {
			out.Environment.Inputs = map[string]string{"noise.file": sum, "transition": sum}
		}
		return out
	}
	const one, two = "5f116e0a4b62", "14d72eb09d1e"
	for name, tt := range map[string]struct {
		runs []*Run
		want []string
	}{
		"one content at two places": {
			[]*Run{run(1, "/b/T.csv", one), run(2, "/a/T.csv", one)},
			[]string{"matrix /a/T.csv, forward (T from /a/T.csv) [1 2]"},
		},
		"two contents at one place": {
			[]*Run{run(1, "/a/T.csv", one), run(2, "/a/T.csv", two)},
			[]string{
				"matrix /a/T.csv (14d72eb0), forward (T from /a/T.csv (14d72eb0)) [2]",
				"matrix /a/T.csv (5f116e0a), forward (T from /a/T.csv (5f116e0a)) [1]",
			},
		},
		"no content known": {
			[]*Run{run(1, "/a/T.csv", ""), run(2, "/b/T.csv", "")},
			[]string{"matrix /a/T.csv, forward (T from /a/T.csv) [1]", "matrix /b/T.csv, forward (T from /b/T.csv) [2]"},
		},
	} {
		block := blocksOf(tt.runs)[0]
		var got []string
		for j, column := range block.Columns {
			for i, row := range block.Rows {
				if c := block.Cells[i][j]; c != nil {
					got = append(got, fmt.Sprint(column, ", ", row.Name, " ", c.Seeds))
				}
			}
		}
		expect.Same(t, tt.want, got, name)
	}
}

// Each warning is listed once, even without injected noise, as on Clothing1M, or
// without an estimated T.
func TestWarnings(t *testing.T) {
	const warning = "images left out: 1, which are missing or do not decode: images/1/1.jpg: image: unknown format"
	run := func(seed uint64, loss string) store.Result {
		return store.Result{
			Config:   config.Config{Dataset: "clothing1m", Loss: loss, Seed: seed, Noise: config.Noise{Kind: "none"}},
			Warnings: []string{warning},
		}
	}
	got := Warnings(FromResults(run(1, "forward"), run(1, "backward"), run(2, "forward")))
	expect.Same(t, []string{"seed 1-2: " + warning}, got, "warnings")
}
