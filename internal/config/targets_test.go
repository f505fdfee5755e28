package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
)

// Targets belong to the losses that train on them, and to the run by their content.
func TestTargets(t *testing.T) {
	dir, write := writer(t)
	one, same, other := write("one.npy", "1"), write("same.npy", "1"), write("other.npy", "2")
	file := write("run.yaml", "dataset: mnist\npreset: fixed\n")
	read := func(overrides ...string) (config.Config, error) {
		all, err := config.Load(file, overrides...)
		if err != nil {
			return config.Config{}, err
		}
		return all[0], nil
	}
	for want, overrides := range map[string][]string{
		"give an NPY file":         {"loss=soft"},
		"by soft and answers only": {"loss=forward", "targets=" + one},
		"no file":                  {"loss=answers", "targets=" + filepath.Join(dir, "none.npy")},
	} {
		if _, err := read(overrides...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", overrides, err, want)
		}
	}
	var ids []string
	for _, path := range []string{one, same, other} {
		c, err := read("loss=soft", "targets="+path)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID())
	}
	if ids[0] != ids[1] || ids[0] == ids[2] {
		t.Errorf("IDs %v: want the first two alike", ids)
	}
}

// writer returns a folder, and a function that writes a file there and returns its path.
func writer(t *testing.T) (dir string, write func(name, text string) string) {
	t.Helper()
	dir = t.TempDir()
	return dir, func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
}
