// Package configtest makes configurations for the tests of other packages.
package configtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
)

// Write makes a folder of files, texts by name, and returns its path.
func Write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Load returns the runs of a configuration.
func Load(t testing.TB, text string, overrides ...string) []config.Config {
	t.Helper()
	runs, err := config.Load(filepath.Join(Write(t, map[string]string{"c.yaml": text}), "c.yaml"), overrides...)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}
