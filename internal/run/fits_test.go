package run

import (
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// A run needs at least one validation example and one whole batch of training examples.
func TestFitsBounds(t *testing.T) {
	for _, tt := range []struct {
		n, batch, steps int
		share           float64
		want            string // in the error; empty: none
	}{
		{100, 90, 0, .1, ""},
		{100, 91, 0, .1, "batch_size: 91 is more than the 90 training examples"},
		{100, 91, 5, .1, ""}, // batches of several passes
		{10, 1, 0, .1, ""},
		{4, 1, 0, .1, "validation.share: 0.1 of 4 examples leaves none"}, // .4 examples
		{5, 1, 0, .1, ""}, // .5, one of them
		{10, 1, 0, .95, "leaves none for training"},
		{10, 1, 0, .9, ""},
	} {
		c := config.Config{Dataset: "mnist", BatchSize: tt.batch, StepsPerEpoch: tt.steps,
			Validation: config.Holdout{Share: tt.share}, Loss: "forward"}
		expect.Fails(t, fits(c, tt.n), tt.want, fmt.Sprint(tt))
	}
}

// A run cannot ask for more examples than there are, or for test examples without a test set.
func TestExamplesExist(t *testing.T) {
	data := &dataset.Dataset{Train: dataset.Split{Labels: make([]int, 60)}, Test: dataset.Split{Labels: make([]int, 10)}}
	for _, tt := range []struct {
		examples config.Examples
		want     string // in the error; empty: none
	}{
		{config.Examples{}, ""},
		{config.Examples{Train: 60, Test: 10, Validation: 5}, ""},
		{config.Examples{Train: 61}, "examples.train: 61, but mnist has 60"},
		{config.Examples{Test: 11}, "examples.test: 11, but mnist has 10"},
	} {
		expect.Fails(t, exist(config.Config{Dataset: "mnist", Examples: tt.examples}, data), tt.want, fmt.Sprint(tt))
	}
}
