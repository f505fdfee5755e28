package run

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
)

// Targets have one row for each training example, are finite and nonnegative, and not all zero.
func TestReadTargets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "targets.npy")
	c := config.Config{Targets: path}
	if _, err := readTargets(c, 2, 2); !errors.Is(err, dataset.ErrData) {
		t.Errorf("no file: %v", err)
	}
	for want, values := range map[string][]float32{
		"":                     {.5, .5, 0, 0},
		"2 training examples":  {1, 0, 0, 1, 1, 0},
		"row 1, column 0":      {1, 0, -1, 2},
		"column 1 (from 0) is": {1, float32(math.NaN()), 0, 1},
		"only zeros":           {0, 0, 0, 0},
	} {
		expect.OK(t, npy.WriteFloat32(path, values, 2))
		switch got, err := readTargets(c, 2, 2); {
		case want == "" && (err != nil || !slices.Equal(got, values)):
			t.Errorf("%v, %v", got, err)
		case want != "" && (!errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want)):
			t.Errorf("%v: %v, want %q", values, err, want)
		}
	}
}
