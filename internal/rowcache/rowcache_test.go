package rowcache

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func open(t *testing.T, path string) *Cache {
	t.Helper()
	c := expect.Got(Open(path))(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func has(t *testing.T, c *Cache, name string, want []float32) {
	t.Helper()
	key, got := KeyOf([]byte(name)), make([]float32, len(want))
	expect.Same(t, true, c.Has(key), name)
	expect.OK(t, c.Get(key, got))
	expect.Same(t, want, got, name)
}

// Rows stay over openings. One that was cut off or damaged is not there, and takes no other with it.
func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	c := open(t, path)
	if c.Columns() != 0 || c.Has(KeyOf([]byte("a"))) {
		t.Error("a new cache has rows")
	}
	rows := map[string][]float32{"a": {1, -2.5, 3e-30}, "b": {4, 5, 6}, "c": {7, 8, 9}}
	for _, name := range []string{"a", "b", "c"} {
		expect.OK(t, c.Put(KeyOf([]byte(name)), rows[name]))
	}
	for name, want := range rows {
		has(t, c, name, want)
	}
	expect.Says(t, c.Put(KeyOf([]byte("d")), []float32{1}), "has rows of 3 numbers, not 1: remove it")
	expect.OK(t, c.Close())
	c = open(t, path)
	for name, want := range rows {
		has(t, c, name, want)
	}
	expect.OK(t, c.Close())
	whole := expect.Got(os.ReadFile(path))(t)
	const record = 16 + 4 + 3*4
	damaged := slices.Clone(whole)
	damaged[20+record+22] ^= 1 // of b's row
	expect.OK(t, os.WriteFile(path, damaged[:len(damaged)-5], 0o600))
	c = open(t, path)
	has(t, c, "a", rows["a"])
	for _, lost := range []string{"b", "c"} {
		expect.Same(t, false, c.Has(KeyOf([]byte(lost))), lost)
		expect.Says(t, c.Get(KeyOf([]byte(lost)), make([]float32, 3)), "has lost a row")
		expect.OK(t, c.Put(KeyOf([]byte(lost)), rows[lost]))
	}
	expect.OK(t, c.Close())
	c = open(t, path)
	for name, want := range rows {
		has(t, c, name, want)
	}
	for _, bad := range []string{"a text of some length, no rows", magic + "\x00\x00\x00\x00"} { // no columns
		expect.Says(t, expect.Err(Open(datasettest.File(t, "other", bad))), "not a row cache")
	}
	expect.Is(t, expect.Err(Open(filepath.Join(t.TempDir(), "none", "rows"))), os.ErrNotExist)
}
