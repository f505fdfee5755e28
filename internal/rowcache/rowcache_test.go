package rowcache

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

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
	key := KeyOf([]byte(name))
	if !c.Has(key) {
		t.Fatalf("%s is not there", name)
	}
	got := make([]float32, len(want))
	if err := c.Get(key, got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v, %v; want %v", name, got, err, want)
	}
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
	if err := c.Put(KeyOf([]byte("d")), []float32{1}); err == nil {
		t.Error("a row of another length is accepted")
	}
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
		if c.Has(KeyOf([]byte(lost))) {
			t.Errorf("%s is there", lost)
		}
		if err := c.Get(KeyOf([]byte(lost)), make([]float32, 3)); err == nil {
			t.Errorf("%s is read", lost)
		}
		expect.OK(t, c.Put(KeyOf([]byte(lost)), rows[lost]))
	}
	expect.OK(t, c.Close())
	c = open(t, path)
	for name, want := range rows {
		has(t, c, name, want)
	}
	for name, bad := range map[string][]byte{"another file": []byte("a text of some length, no rows"),
		"no columns": append([]byte(magic), 0, 0, 0, 0)} {
		other := filepath.Join(t.TempDir(), "other")
		expect.OK(t, os.WriteFile(other, bad, 0o600))
		if _, err := Open(other); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none", "rows")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}
