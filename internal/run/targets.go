package run

import (
	"slices"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
)

// readTargets reads the targets of n training examples of a configuration whose loss trains on
// them.
func readTargets(c config.Config, n, classes int) (targets []float32, err error) {
	a, err := npy.Open(c.Targets)
	if err != nil {
		return nil, dataset.Errorf("the targets: %w", err)
	}
	defer func() { _ = a.Close() }()
	if !slices.Equal(a.Shape, []int{n, classes}) {
		return nil, dataset.Errorf("%s: an array %v, want a row for each of %d training examples and a column for each of "+
			"%d classes", c.Targets, a.Shape, n, classes)
	}
	if targets, err = a.Float32s(); err != nil {
		return nil, dataset.Errorf("the targets: %w", err)
	}
	some := false
	for k, v := range targets {
		if !(v >= 0 && v-v == 0) {
			return nil, dataset.Errorf("%s: row %d, column %d (from 0) is %v, want a probability", c.Targets, k/classes,
				k%classes, v)
		}
		some = some || v > 0
	}
	if !some {
		return nil, dataset.Errorf("%s has zeros only", c.Targets)
	}
	return targets, nil
}
