package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLoadGoesOnPastDamage(t *testing.T) {
	dir := t.TempDir()
	for name, r := range map[string]int{"a": 0, "deep/er/b": 1} {
		text, err := json.Marshal(block()[r])
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name, "result.json"), string(text))
	}
	results, err := Load(dir)
	if err != nil || len(results) != 2 || results[0].Config.Loss != "forward" || results[1].Config.Loss != "cross-entropy" {
		t.Fatalf("%d results, error %v", len(results), err)
	}
	put(t, filepath.Join(dir, "c", "result.json"), `{"schema": 1, "id"`)
	put(t, filepath.Join(dir, "d", "result.json"), `{"schema": 9}`)
	put(t, filepath.Join(dir, "e", "metrics.jsonl"), "")
	results, err = Load(dir)
	if len(results) != 2 || err == nil {
		t.Fatalf("%d results, error %v, want 2 and an error", len(results), err)
	}
	for _, want := range []string{filepath.Join("c", "result.json") + ": unexpected end", filepath.Join("d", "result.json") + ": schema 9, want 1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestLoadNothing(t *testing.T) {
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no result.json") {
		t.Errorf("empty folder: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "none")
	if _, err := Load(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestReadMetrics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	// Epochs 2 and 3 ran, the run was killed, resumed after epoch 1, and
	// killed again while it wrote epoch 3.
	put(t, path, `{"epoch":1,"test_accuracy":80}
{"epoch":2,"test_accuracy":81}
{"epoch":3,"test_accuracy":82}
{"epoch":2,"test_accuracy":85.5}
{"epoch":3,"test_`)
	epochs, err := ReadMetrics(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(epochs) != 2 || epochs[0].TestAccuracy != 80 || epochs[1].TestAccuracy != 85.5 || epochs[1].Epoch != 2 {
		t.Errorf("epochs %+v", epochs)
	}
	put(t, path, "{\"epoch\":1}\nnonsense\n{\"epoch\":2}\n")
	if _, err := ReadMetrics(path); err == nil || !strings.Contains(err.Error(), path+":2: ") {
		t.Errorf("damaged line: %v, want an error with file and line", err)
	}
	if _, err := ReadMetrics(path + "x"); err == nil {
		t.Error("a missing file was read")
	}
}
