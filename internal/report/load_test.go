package report

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/report/reporttest"
)

func TestLoadGoesOnPastDamage(t *testing.T) {
	dir := t.TempDir()
	for name, r := range map[string]int{"a": 0, "deep/er/b": 1} {
		text, err := json.Marshal(reporttest.Block()[r])
		if err != nil {
			t.Fatal(err)
		}
		reporttest.Put(t, filepath.Join(dir, name, "result.json"), string(text))
	}
	study, err := Load(dir)
	if results := study.Finished(); err != nil || len(results) != 2 || results[0].Config.Loss != "forward" || results[1].Config.Loss != "cross-entropy" {
		t.Fatalf("%d results, error %v", len(study.Runs), err)
	}
	reporttest.Put(t, filepath.Join(dir, "c", "result.json"), `{"schema": 1, "id"`)
	reporttest.Put(t, filepath.Join(dir, "d", "result.json"), `{"schema": 9}`)
	reporttest.Put(t, filepath.Join(dir, "e", "metrics.jsonl"), "")
	study, err = Load(dir)
	if len(study.Runs) != 2 || err == nil {
		t.Fatalf("%d results, error %v, want 2 and an error", len(study.Runs), err)
	}
	for _, want := range []string{filepath.Join(dir, "c") + ": result.json is damaged: unexpected end", filepath.Join(dir, "d") + ": result.json has schema 9"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestLoadNothing(t *testing.T) {
	if study, err := Load(t.TempDir()); err != nil || len(study.Runs) != 0 {
		t.Errorf("empty folder: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "none")
	if _, err := Load(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing folder: %v", err)
	}
}

// Folders given twice, under other names, and one inside of another are read once.
func TestLoadReadsARunOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	reporttest.PutJSON(t, "runs/mnist/a/result.json", reporttest.Block()[0])
	reporttest.PutJSON(t, "runs/b/result.json", reporttest.Block()[1])
	kept, err := os.Create("table.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteCSV(kept, Tables(FromResults(reporttest.Block()...)), ""), kept.Close(), os.MkdirAll("kept", 0o777), os.Rename("table.csv", "kept/table.csv")); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	study, err := Load("runs/mnist", "runs", "runs/../runs", filepath.Join(here, "runs"), "kept", filepath.Join(here, "kept"))
	if err != nil || len(study.Runs) != 2 || len(study.Kept) != 1 || len(study.Empty) != 0 {
		t.Fatalf("%d runs, %d kept tables, empty %q, %v", len(study.Runs), len(study.Kept), study.Empty, err)
	}
	if got := []string{study.Runs[0].Dir, study.Runs[1].Dir}; !slices.Equal(got, []string{"runs/b", "runs/mnist/a"}) {
		t.Errorf("folders %q", got)
	}
}

// A folder where nothing has finished is named, unless damage is the reason.
func TestLoadNamesEmptyFolders(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{"new/a/status.json": `{"schema": 1, "state": "stopped"}`, "damaged/a/result.json": "{", "other/file": ""} {
		reporttest.Put(t, filepath.Join(dir, path), text)
	}
	reporttest.PutJSON(t, filepath.Join(dir, "done", "a", "result.json"), reporttest.Block()[0])
	var dirs []string
	for _, name := range []string{"damaged", "done", "new", "none", "other"} {
		dirs = append(dirs, filepath.Join(dir, name))
	}
	study, err := Load(dirs...)
	if want := []string{dirs[2], dirs[4]}; err == nil || !slices.Equal(study.Empty, want) {
		t.Errorf("empty %q, want %q; %v", study.Empty, want, err)
	}
}
