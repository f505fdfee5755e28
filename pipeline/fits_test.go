package pipeline

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/config"
)

// A run needs at least one example to validate with and a whole batch to train on.
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
		c := config.Config{Dataset: "mnist", BatchSize: tt.batch, StepsPerEpoch: tt.steps, Validation: config.Holdout{Share: tt.share}, Loss: "forward"}
		err := fits(c, tt.n)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
