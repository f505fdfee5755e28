package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A file under way lies beside its target, where a kill leaves it to be found: not in
// TMPDIR, which nobody sweeps.
func TestWriteBesideTheTarget(t *testing.T) {
	tmp, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	then := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(tmp, then, then); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.txt")
	if err := Write(path, []byte("x"), 0o640); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(f.Name()) != dir || !strings.HasPrefix(filepath.Base(f.Name()), ".a.txt") {
		t.Errorf("the temporary file is %s, want a hidden one in %s", f.Name(), dir)
	}
	if err := f.Cleanup(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(tmp); err != nil || !info.ModTime().Equal(then) {
		t.Errorf("TMPDIR was written to: %v, %v", info, err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "x" {
		t.Errorf("%q, %v", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// Whoever replaces files does it through this package, since renameio alone goes by TMPDIR.
func TestOnlyHere(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "build" || d.Name() == "runs"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == filepath.Join(root, "internal", "files"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), "github.com/google/renameio") {
			t.Errorf("%s imports renameio: use files.Write or files.Create", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
