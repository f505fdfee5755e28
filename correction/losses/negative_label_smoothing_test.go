package losses_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestNegativeLabelSmoothingEqualsFormula(t *testing.T) {
	checkGolden(t, "negative-label-smoothing", losses.NewNegativeLabelSmoothing)
}

// With r = -2N / (1-2N) it is backward correction of symmetric noise N of two classes.
func TestNegativeLabelSmoothingIsBackward(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(71, 72))
		z, y := normal(rng, 2, 8, 2), labelsOf(rng, 8, 2)
		for _, n := range []float64{.1, .25, .4} {
			m, err := correction.Symmetric(names(2), n)
			if err != nil {
				t.Fatal(err)
			}
			backward, err := losses.NewBackward(m, double)
			if err != nil {
				t.Fatal(err)
			}
			o := double
			o.Settings.Smoothing = -2 * n / (1 - 2*n)
			torchtest.Close(t, "negative label smoothing", losses.NewNegativeLabelSmoothing(2, o).Apply(z, y), []float64{backward.Apply(z, y).Item()}, 1e-12)
		}
	})
}
