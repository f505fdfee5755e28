package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/libtorch"
)

func TestRunWritesTheFolderOnce(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"version.py": "__version__ = '2.11.0'\n", "include/ATen/ATen.h": "",
		"lib/libtorch_cpu.so": "", "lib/libtorch_cpu.dylib": "",
	} {
		path := filepath.Join(root, name)
		expect.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	t.Setenv("LIBTORCH", root)
	out := filepath.Join(t.TempDir(), "new", "libtorch.dir")
	args := []string{"-dir", t.TempDir(), "-out", out}
	var log bytes.Buffer
	expect.OK(t, run(t.Context(), args, &log))
	in := expect.Got(libtorch.Open(root, "test"))(t)
	expect.Same(t, in.Dir+"\n", string(expect.Got(os.ReadFile(out))(t)), "file")
	expect.Says(t, log.String(), "from $LIBTORCH")

	// make takes the file's date for the answer's.
	before := time.Now().Add(-time.Hour).Truncate(time.Second)
	expect.OK(t, errors.Join(os.Chtimes(out, before, before), run(t.Context(), args, &log)))
	if st, err := os.Stat(out); err != nil || !st.ModTime().Equal(before) {
		t.Errorf("the same answer was written again: %v, %v", st.ModTime(), err)
	}
}

func TestRunRefusesWrongArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"-dir", "x", "extra"}, {"-nonsense"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("run(%q) gave no error", args)
		}
	}
	t.Setenv("LIBTORCH", filepath.Join(t.TempDir(), "absent"))
	if err := run(t.Context(), []string{"-dir", t.TempDir()}, &bytes.Buffer{}); err == nil ||
		!strings.Contains(err.Error(), "LIBTORCH=") {
		t.Errorf("run with a wrong LIBTORCH = %v, want an error and no fetch", err)
	}
}
