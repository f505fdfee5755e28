package report

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// What is damaged is named and left out; the rest is read, in the order of the paths.
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
	reporttest.Same(t, "runs", []string{"forward", "cross-entropy"}, losses)
}

// Folders given twice, under other names, and one inside of another are read once.
func TestLoadReadsARunOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	reporttest.PutJSON(t, "runs/mnist/a/result.json", reporttest.Block()[0])
	reporttest.PutJSON(t, "runs/b/result.json", reporttest.Block()[1])
	tables := Tables(FromResults(reporttest.Block()...))
	reporttest.Put(t, "kept/table.csv", reporttest.Written(t, func(w io.Writer) error { return WriteCSV(w, tables, "") }))
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	full := func(dir string) string { return filepath.Join(here, dir) }
	study, err := Load("runs/mnist", "runs", "runs/../runs", full("runs"), "kept", full("kept"))
	if err != nil || len(study.Kept) != 1 || len(study.Empty) != 0 {
		t.Fatalf("%d kept tables, empty %q, %v", len(study.Kept), study.Empty, err)
	}
	var dirs []string
	for _, r := range study.Runs {
		dirs = append(dirs, r.Dir)
	}
	reporttest.Same(t, "folders", []string{"runs/b", "runs/mnist/a"}, dirs)
}

// A folder where nothing has finished is named, unless damage is the reason, or that it is not there.
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
	reporttest.Same(t, "empty folders", []string{dirs[2], dirs[4]}, study.Empty)
}
