package files

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	datasettest.OK(t, os.WriteFile(path, make([]byte, 2048), 0o644))
	if b, err := Read(path, 2048); err != nil || len(b) != 2048 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	datasettest.OK(t, syscall.Mkfifo(filepath.Join(dir, "p"), 0o644))
	datasettest.OK(t, os.Symlink("/dev/zero", filepath.Join(dir, "z")))
	for name, want := range map[string]string{
		"f": "it is larger than 1 KiB", "p": "not a regular file but a pipe", "z": "not a regular file but a device", ".": "is a directory", "none": "no such file",
	} {
		if _, err := Read(filepath.Join(dir, name), 1024); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if name == "f" || name == "none" || name == "." {
			continue
		}
		if _, err := SHA256(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("hash of %s: %v", name, err)
		}
	}
}
