package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

func TestGlob(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/.x", "[ab]/.y", "[ab]/z", "[ab]/sub/.w"} {
		path := filepath.Join(root, name)
		datasettest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		datasettest.OK(t, os.WriteFile(path, nil, 0o644))
	}
	dir := filepath.Join(root, "[ab]")
	for pattern, want := range map[string][]string{
		".*":   {filepath.Join(dir, ".y")},
		"*/.*": {filepath.Join(dir, "sub", ".w")},
		"q*":   nil,
	} {
		if got := Glob(dir, pattern); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
	if got := Glob(filepath.Join(root, "missing"), "*"); len(got) > 0 {
		t.Errorf("a missing folder holds %q", got)
	}
}
