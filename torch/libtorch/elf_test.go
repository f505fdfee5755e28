package libtorch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A library cut short at any place is refused, by its own header; the test's program
// stands in for one, since both are ELF files.
func TestWhole(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("libraries are no ELF files on " + runtime.GOOS)
	}
	data, err := os.ReadFile("/proc/self/exe")
	ok(t, err)
	path := filepath.Join(t.TempDir(), ShimName)
	for _, size := range []int{20, 64, 4096, len(data) / 2, len(data) * 3 / 4, len(data)} {
		ok(t, os.WriteFile(path, data[:size], 0o666))
		switch err := whole(path); {
		case size == len(data) && err != nil:
			t.Errorf("the whole file: %v", err)
		case size < len(data) && (err == nil || !strings.Contains(err.Error(), "run losscorr setup")):
			t.Errorf("%d of %d bytes: %v", size, len(data), err)
		}
	}
	ok(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o666))
	if err := whole(path); err != nil {
		t.Errorf("another kind of file: %v", err)
	}
}
