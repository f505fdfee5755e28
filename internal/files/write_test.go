package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// An unfinished file is beside its target, where it can be found after a kill, not in
// TMPDIR, which nobody sweeps.
func TestWriteBesideTheTarget(t *testing.T) {
	tmp, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	then := time.Now().Add(-time.Hour).Truncate(time.Second)
	expect.OK(t, os.Chtimes(tmp, then, then))
	path := filepath.Join(dir, "a.txt")
	expect.OK(t, Write(path, []byte("x"), 0o640))
	f := expect.Got(Create(path, 0o640))(t)
	if filepath.Dir(f.Name()) != dir || !strings.HasPrefix(filepath.Base(f.Name()), ".a.txt") {
		t.Errorf("the temporary file is %s, want a hidden one in %s", f.Name(), dir)
	}
	expect.OK(t, f.Cleanup())
	expect.Same(t, then, expect.Got(os.Stat(tmp))(t).ModTime(), "TMPDIR was written to")
	expect.Same(t, "x", string(expect.Got(os.ReadFile(path))(t)))
	expect.Same(t, nil, Glob(dir, ".*"))
	lost := filepath.Join(dir, "none", "a.txt")
	expect.Fails(t, Write(lost, nil, 0o640), "the folder of "+lost+": ", fs.ErrNotExist)
}

// Files left by a kill are removed, but not files of running processes or other files.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, name := range []string{".a.txt12", ".a.txt34", ".a.txt", ".a.txt5b", ".ba.txt6", "a.txt7"} {
		datasettest.Put(t, filepath.Join(dir, name), "half")
	}
	writer := locker(filepath.Join(dir, ".a.txt34"))
	expect.Same(t, true, expect.Got(writer.TryLock())(t))
	defer writer.Close()
	expect.OK(t, Write(path, []byte("x"), 0o640))
	var left []string
	for _, path := range Glob(dir, "*") { // sorted
		left = append(left, filepath.Base(path))
	}
	want := []string{".a.txt", ".a.txt34", ".a.txt5b", ".ba.txt6", "a.txt", "a.txt7"}
	expect.Same(t, want, left)
}

// An unfinished file is locked until it gets its name or is removed.
func TestPendingIsLocked(t *testing.T) {
	for name, end := range map[string]func(*Pending) error{"replaced": (*Pending).CloseAtomicallyReplace,
		"given up": (*Pending).Cleanup} {
		f := expect.Got(Create(filepath.Join(t.TempDir(), "a.txt"), 0o640))(t)
		other := locker(f.Name())
		expect.Same(t, false, expect.Got(other.TryLock())(t), name)
		expect.OK(t, end(f))
		expect.Same(t, false, f.lock.Locked(), name)
	}
}
