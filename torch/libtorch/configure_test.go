package libtorch

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// configure.sh empties a folder that was configured elsewhere, which CMake would refuse to use, and no other.
func TestConfigureOfMovedClone(t *testing.T) {
	needTool(t, "cmake")
	script, err := filepath.Abs("configure.sh")
	ok(t, err)
	dir := realPath(t, t.TempDir())
	configure := func(dir string) {
		t.Helper()
		cmd := exec.Command("sh", script, ".", "build/cmake")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	first, moved, link := filepath.Join(dir, "first"), filepath.Join(dir, "moved"), filepath.Join(dir, "link")
	mark := filepath.Join("build", "cmake", "mark")
	write(t, filepath.Join(first, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.18)\nproject(none LANGUAGES NONE)\n")
	configure(first)
	write(t, filepath.Join(first, mark), "")
	ok(t, os.Symlink(first, link))
	for _, same := range []string{first, link} {
		configure(same)
		if _, err := os.Stat(filepath.Join(same, mark)); err != nil {
			t.Errorf("emptied where it was configured: %v", err)
		}
	}
	ok(t, os.Rename(first, moved))
	configure(moved)
	if _, err := os.Stat(filepath.Join(moved, mark)); err == nil {
		t.Error("kept where it was moved")
	}
}
