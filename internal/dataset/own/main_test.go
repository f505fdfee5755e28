package own

import (
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func TestMain(m *testing.M) { datasettest.Main(m) }

// good reads a source, where at most bad examples are bad.
func good(t *testing.T, s Source, bad int) *dataset.Dataset {
	t.Helper()
	return expect.Got(Read(t.Context(), s, dataset.Options{MaxBad: bad}))(t)
}

// refused expects an error of good with parts.
func refused(t *testing.T, s Source, bad int, parts ...string) {
	t.Helper()
	expect.Says(t, expect.Err(Read(t.Context(), s, dataset.Options{MaxBad: bad})), parts...)
}

// shown returns training examples as people see them.
func shown(t *testing.T, s Source, ids ...string) []Original {
	t.Helper()
	return expect.Got(expect.Got(Open(s))(t).Originals(t.Context(), ids))(t)
}
