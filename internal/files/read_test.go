package files

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	expect.OK(t, os.WriteFile(path, make([]byte, 2048), 0o644))
	expect.Same(t, 2048, len(expect.Got(Read(path, 2048))(t)))
	expect.OK(t, syscall.Mkfifo(filepath.Join(dir, "p"), 0o644))
	expect.OK(t, os.Symlink("/dev/zero", filepath.Join(dir, "z")))
	for name, want := range map[string]string{
		"f": "it is larger than 1 KiB", "p": "not a regular file but a pipe", "z": "not a regular file but a device",
		".": "is a directory", "none": "no such file",
	} {
		expect.Says(t, expect.Err(Read(filepath.Join(dir, name), 1024)), want)
		if name == "f" || name == "none" || name == "." {
			continue
		}
		expect.Says(t, expect.Err(SHA256(filepath.Join(dir, name))), "not a regular file")
	}
}
