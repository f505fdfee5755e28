package report

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

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
	reporttest.Holds(t, "error", err.Error(), filepath.Join(dir, "c")+": result.json is damaged: unexpected end",
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
	reporttest.Holds(t, "error", err.Error(), dirs[0], dirs[3])
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
