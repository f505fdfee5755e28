package store

import (
	"testing"
)

// Programs built from one commit have the same code; with uncommitted changes, only the same program does.
func TestSameCode(t *testing.T) {
	clean, changed := Code{Revision: "aaaa"}, Code{Revision: "aaaa", Modified: true, Build: "0123"}
	other, unknown := changed, changed
	other.Build, unknown.Build = "4567", ""
	for _, c := range []struct {
		a, b Code
		want bool
	}{
		{clean, clean, true}, {clean, Code{Revision: "bbbb"}, false}, {Code{}, Code{}, false},
		{clean, changed, false}, {changed, changed, true}, {changed, other, false}, {unknown, unknown, false},
	} {
		if got := c.a.Same(c.b); got != c.want {
			t.Errorf("%+v and %+v: same is %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if mine := ThisCode(); mine.Modified && len(mine.Build) != 12 {
		t.Errorf("this program has changes, and the build %q", mine.Build)
	}
}
