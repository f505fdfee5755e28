package report

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

// Cells do not change when read and written again: each kept file, and data without a test set whose
// estimates have errors.
func TestReadCells(t *testing.T) {
	top, _ := filepath.Glob("../../results/*.csv")
	below, _ := filepath.Glob("../../results/*/*.csv")
	texts := map[string]string{"no test set": line(t, "estimate_error=0.1234", "selected_mean=", "selected_std=",
		"last_mean=", "last_std=", "difference=")}
	for _, file := range append(top, below...) {
		text, err := os.ReadFile(file)
		expect.OK(t, err)
		if _, err := ReadCells(bytes.NewReader(text)); !errors.Is(err, ErrNoCells) {
			texts[file] = string(text)
		}
	}
	if len(texts) < 29 {
		t.Errorf("%d files of cells", len(texts))
	}
	for name, text := range texts {
		cells, err := ReadCells(strings.NewReader(text))
		expect.OK(t, err)
		expect.Same(t, text, reporttest.Written(t, CellsTable(Blocks(cells)).WriteCSV), name)
	}
}

// line returns the CSV of a cell with some fields changed.
func line(t *testing.T, fields ...string) string {
	t.Helper()
	var results []store.Result
	for seed := range uint64(2) {
		results = append(results, reporttest.Result("forward", "asymmetric", .2, seed, 97.7, 97.8))
	}
	table := CellsTable(blocksOf(FromResults(results...)))
	for _, field := range fields {
		name, text, _ := strings.Cut(field, "=")
		table.Rows[0][slices.IndexFunc(table.Headings, func(h Heading) bool { return h.Name == name })].Text = text
	}
	return reporttest.Written(t, table.WriteCSV)
}

// The paper's corrections use the true T or an estimate, so a correction by a T from a file has
// no paper's number beside it.
func TestNoPaperBesideOtherT(t *testing.T) {
	for fields, want := range map[string]bool{
		"loss=forward": true, "transition=T.csv": false, "loss=forward-estimated": true,
	} {
		cells, err := ReadCells(strings.NewReader(line(t, fields)))
		expect.OK(t, err)
		expect.Same(t, want, cells[0].Paper != nil, fields+" has a number of the paper")
	}
}

// A file of another kind is refused; a bad entry is named with its line.
func TestReadCellsRefuses(t *testing.T) {
	_, record, _ := strings.Cut(line(t), "\n")
	for _, test := range []struct{ text, want string }{
		{"", "not a table"},
		{"a,b\n1,2\n", "not a table"},
		{line(t, "epochs=forty"), "line 2: epochs"},
		{line(t) + "97,7" + record, "line 3"},
		{line(t, "seeds=1 b"), "line 2: seeds"},
		{line(t, "last_mean=high"), "line 2: last_mean"},
		{line(t) + record, "line 3: forward with asymmetric 0.2 appears twice"},
	} {
		_, err := ReadCells(strings.NewReader(test.text))
		kind := errors.Is(err, ErrNoCells) == (test.want == "not a table")
		if err == nil || !strings.Contains(err.Error(), test.want) || !kind {
			t.Errorf("%.40q: error %v, want one with %q", test.text, err, test.want)
		}
	}
}

// A folder of kept cells makes a report; a damaged one is named, other files are not.
func TestStudyOfKeptCells(t *testing.T) {
	dir := t.TempDir()
	kept, err := os.ReadFile("../../results/cifar10-precision.csv")
	expect.OK(t, err)
	reporttest.Put(t, filepath.Join(dir, "kept.csv"), string(kept))
	reporttest.Put(t, filepath.Join(dir, "other.csv"), "a,b\n1,2\n")
	study, err := Load(dir)
	if err != nil || len(study.Blocks()) != 2 {
		t.Fatalf("%d blocks, %v", len(study.Blocks()), err)
	}
	reporttest.Put(t, filepath.Join(dir, "broken.csv"), string(kept)+"cifar10,\n")
	expect.Fails(t, expect.Err(Load(dir)), "broken.csv: ")
}

// Damaged runs are named and left out; the rest is read, in the order of the paths.
func TestLoadGoesOnPastDamage(t *testing.T) {
	dir := t.TempDir()
	reporttest.PutJSON(t, filepath.Join(dir, "deep", "er", "b", "result.json"), reporttest.Block()[1])
	reporttest.PutJSON(t, filepath.Join(dir, "a", "result.json"), reporttest.Block()[0])
	reporttest.Put(t, filepath.Join(dir, "c", "result.json"), `{"schema": 1, "id"`)
	reporttest.Put(t, filepath.Join(dir, "d", "result.json"), `{"schema": 9}`)
	reporttest.Put(t, filepath.Join(dir, "e", "metrics.jsonl"), "")
	study, err := Load(dir)
	if err == nil {
		t.Fatal("no error")
	}
	expect.Says(t, err.Error(), filepath.Join(dir, "c")+": result.json is damaged: unexpected end",
		filepath.Join(dir, "d")+": result.json has schema 9")
	var losses []string
	for _, r := range study.Finished() {
		losses = append(losses, r.Config.Loss)
	}
	expect.Same(t, []string{"forward", "cross-entropy"}, losses, "runs")
}

// Folders given twice, by different names, or inside each other are read once.
func TestLoadReadsARunOnce(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	reporttest.PutJSON(t, "runs/mnist/a/result.json", reporttest.Block()[0])
	reporttest.PutJSON(t, "runs/b/result.json", reporttest.Block()[1])
	kept := CellsTable(blocksOf(FromResults(reporttest.Block()...)))
	reporttest.Put(t, "kept/table.csv", reporttest.Written(t, kept.WriteCSV))
	full := func(dir string) string { return filepath.Join(here, dir) }
	study, err := Load("runs/mnist", "runs", "runs/../runs", full("runs"), "kept", full("kept"))
	if err != nil || len(study.Kept) != 1 || len(study.Empty) != 0 {
		t.Fatalf("%d kept blocks, empty %q, %v", len(study.Kept), study.Empty, err)
	}
	var dirs []string
	for _, r := range study.Runs {
		dirs = append(dirs, r.Dir)
	}
	expect.Same(t, []string{"runs/b", "runs/mnist/a"}, dirs, "folders")
}

// A folder without finished runs is named, unless it is missing or damage is the reason.
func TestLoadNamesEmptyFolders(t *testing.T) {
	dir := t.TempDir()
	reporttest.Put(t, filepath.Join(dir, "new", "a", "status.json"), `{"schema": 1, "state": "stopped"}`)
	reporttest.Put(t, filepath.Join(dir, "damaged", "a", "result.json"), "{")
	reporttest.Put(t, filepath.Join(dir, "other", "file"), "")
	reporttest.PutJSON(t, filepath.Join(dir, "done", "a", "result.json"), reporttest.Block()[0])
	var dirs []string
	for _, name := range []string{"damaged", "done", "new", "none", "other"} {
		dirs = append(dirs, filepath.Join(dir, name))
	}
	study, err := Load(dirs...)
	if err == nil {
		t.Fatal("no error")
	}
	expect.Says(t, err.Error(), dirs[0], dirs[3])
	expect.Same(t, []string{dirs[2], dirs[4]}, study.Empty, "empty folders")
}

// A list has all runs, finished or not, in the order of the paper's tables, with all settings and digits.
func TestList(t *testing.T) {
	root := reporttest.Folders(t, func(r *store.Result) {
		r.Config.Optimizer = config.Optimizer{Name: "sgd", LearningRate: .1, Milestones: []int{40, 80}}
		if r.Config.Seed == 2 {
			r.Config.Optimizer.LearningRate = .01
			r.Selected.TrainLoss = math.NaN()
		}
	})
	study, err := Load(root)
	expect.OK(t, err)
	rows := selected(List(study), "state", "selected", "seconds", "noise.kind", "seed", "loss", "estimate_error",
		"train_loss", "optimizer.learning_rate", "optimizer.milestones")
	if len(rows) != 17 {
		t.Fatalf("%d rows, want 15 finished runs and 2 others", len(rows))
	}
	var noisy, others [][]string
	for _, row := range rows {
		switch {
		case row[0] != "done":
			others = append(others, row[:3])
		case row[3] == "asymmetric" && row[4] == "2":
			noisy = append(noisy, append(row[5:], row[1]))
		}
	}
	expect.Same(t, [][]string{
		{"cross-entropy", "", "NaN", "0.01", "[40,80]", "54.5"},
		{"forward", "", "NaN", "0.01", "[40,80]", "97.39999999999999"},
		{"forward-estimated", "0.12", "NaN", "0.01", "[40,80]", "73"},
	}, noisy, "runs of seed 2 under noise")

	expect.Same(t, [][]string{{"failed", "", "0"}, {"stopped", "", "3600"}, {"diverged", "97.2", "36"}}, others,
		"other runs")

}

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
	expect.Says(t, reporttest.Written(t, Table3(nil).WriteText), "no run: make clothing1m")
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
