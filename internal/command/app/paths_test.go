package app

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
)

// Links stay links, and devices and pipes stay what they are.
func TestWriteFile(t *testing.T) {
	new := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	text := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	t.Chdir(t.TempDir())
	err := errors.Join(os.WriteFile("file", []byte("old"), 0o666), os.Symlink("file", "link"),
		syscall.Mkfifo("pipe", 0o600), WriteFile("link", new))
	if err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink("link"); err != nil || to != "file" || text("file") != "new" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	done := make(chan error, 1)
	go func() { done <- WriteFile("pipe", new) }()
	if got := text("pipe"); got != "new" {
		t.Errorf("%q through the pipe", got)
	}
	if info, err := os.Lstat("pipe"); <-done != nil || err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe is %v now, %v", info.Mode(), err)
	}
}
