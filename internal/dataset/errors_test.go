package dataset

import (
	"errors"
	"io/fs"
	"testing"
)

func TestErrorf(t *testing.T) {
	err := Errorf("%s: %w", "X.npy", fs.ErrNotExist)
	if !errors.Is(err, ErrData) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not wrap both errors", err)
	}
	if want := "bad data: X.npy: file does not exist"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
