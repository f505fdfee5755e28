package dataset

import (
	"io/fs"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

func TestErrorf(t *testing.T) {
	err := Errorf("%s: %w", "X.npy", fs.ErrNotExist)
	expect.Is(t, err, ErrData)
	expect.Is(t, err, fs.ErrNotExist)
	expect.Same(t, "bad data: X.npy: file does not exist", err.Error())
}
