package losses_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestGCEEqualsFormula(t *testing.T) { checkGolden(t, "gce", losses.NewGCE) }

// With q = 1 it is half the mean absolute error, with q near 0 cross-entropy.
func TestGCEBetweenMAEAndCrossEntropy(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(51, 52))
		z, y := normal(rng, 2, 8, 5), labelsOf(rng, 8, 5)
		at := func(loss losses.Loss) (value float64, gradient []float64) {
			x := z.Detach().SetRequiresGrad(true)
			v := loss.Apply(x, y)
			return v.Item(), torch.Slice[float64](torch.Grad(v, []torch.Tensor{x}, false)[0])
		}
		with := func(q float64) losses.Loss {
			o := double
			o.Settings.Q = q
			return losses.NewGCE(5, o)
		}
		for _, tt := range []struct {
			q, tolerance, scale float64
			other               losses.Loss
		}{{1, 1e-12, 2, losses.NewMAE(5, double)}, {1e-7, 1e-5, 1, losses.NewCrossEntropy(5, double)}} {
			value, gradient := at(with(tt.q))
			want, slope := at(tt.other)
			torchtest.Near(t, "value", []float64{tt.scale * value}, []float64{want}, tt.tolerance)
			for i := range gradient {
				gradient[i] *= tt.scale
			}
			torchtest.Near(t, "gradient", gradient, slope, tt.tolerance)
		}
	})
}
