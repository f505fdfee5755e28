package report

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/report/reporttest"
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
