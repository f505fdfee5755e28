package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
)

// A working folder that was removed is an error that says so, in place of one of a library.
func TestWithoutWorkingFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("losscorr-real")
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", "-c", `rmdir "$PWD" && exec "$0" version`, program)
	var out bytes.Buffer
	shell.Dir, shell.Stderr = dir, &out
	_ = shell.Run()
	if code := shell.ProcessState.ExitCode(); code != app.ExitFailed {
		t.Errorf("exit code %d, want %d", code, app.ExitFailed)
	}
	contains(t, "stderr", out.String(), "the working folder is not there any more", "cd")
}
