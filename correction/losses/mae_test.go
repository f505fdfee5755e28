package losses_test

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestMAEEqualsFormula(t *testing.T) { checkGolden(t, "mae", losses.NewMAE) }

// The losses of all labels of an example have the same sum whatever the network says,
// from which Ghosh et al. conclude that symmetric noise does not move the minimum.
func TestMAEIsSymmetric(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const c = 4
		loss := losses.NewMAE(c, double)
		for _, z := range [][]float64{{0, 0, 0, 0}, {3, -1, .5, 0}, {1e4, 0, 0, -1e4}} {
			sum := 0.
			for y := range c {
				sum += loss.Apply(torch.FromSlice(z, 1, c), torch.FromSlice([]int64{int64(y)})).Item()
			}
			if want := 2.*c - 2; math.Abs(sum-want) > 1e-12 {
				t.Errorf("%v: the losses of all labels sum to %v, want %v", z, sum, want)
			}
		}
	})
}
