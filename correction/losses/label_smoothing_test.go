package losses_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestLabelSmoothingEqualsFormula(t *testing.T) {
	checkGolden(t, "label-smoothing", losses.NewLabelSmoothing)
}

// It is libtorch's cross-entropy with label smoothing, at any rate.
func TestLabelSmoothingIsLibtorchs(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(61, 62))
		z, y := normal(rng, 2, 8, 5), labelsOf(rng, 8, 5)
		for _, r := range []float64{.05, .1, .5, .9} {
			o := double
			o.Settings.Smoothing = r
			want := z.CrossEntropy(y).MulScalar(1 - r).Sub(z.LogSoftmax(1).Mean().MulScalar(r)).Item()
			torchtest.Close(t, "label smoothing", losses.NewLabelSmoothing(5, o).Apply(z, y), []float64{want}, 1e-12)
		}
	})
}
