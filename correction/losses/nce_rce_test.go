package losses_test

import (
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestNCERCEEqualsFormula(t *testing.T) { checkGolden(t, "nce-rce", losses.NewNCERCE) }

// Both weights and A are read, and both parts are losses whose values for all labels of an
// example have the same sum: 1 for NCE, -A (c-1) for RCE.
func TestNCERCEIsSymmetric(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const c = 3
		o := double
		o.Settings = losses.Settings{Alpha: 2, Beta: 10, LogZero: -7}
		loss := losses.NewNCERCE(c, o)
		for _, z := range [][]float64{{0, 0, 0}, {3, -1, .5}, {1e4, 0, -1e4}} {
			sum := 0.
			for y := range c {
				sum += loss.Apply(torch.FromSlice(z, 1, c), torch.FromSlice([]int64{int64(y)})).Item()
			}
			torchtest.Near(t, "sum over the labels", []float64{sum}, []float64{2*1 + 10*7*(c-1)}, 1e-12)
		}
	})
}
