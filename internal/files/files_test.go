package files

import (
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func TestGlob(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/.x", "[ab]/.y", "[ab]/z", "[ab]/sub/.w"} {
		datasettest.Put(t, filepath.Join(root, name), "")
	}
	dir := filepath.Join(root, "[ab]")
	for pattern, want := range map[string][]string{
		".*":   {filepath.Join(dir, ".y")},
		"*/.*": {filepath.Join(dir, "sub", ".w")},
		"q*":   nil,
	} {
		expect.Same(t, want, Glob(dir, pattern), pattern)
	}
	expect.Same(t, nil, Glob(filepath.Join(root, "missing"), "*"))
}
