package optim_test

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Steps are those without a scaler; one with an infinite gradient is left out and
// halves the scale, Interval finite ones in a row double it.
func TestScaler(t *testing.T) {
	torchtest.NoLeak(t, func() {
		w := torchtest.FromSlice([]float32{1, 2}).SetRequiresGrad(true)
		params := []nn.Parameter{{Name: "w", Tensor: w}}
		o := optim.NewSGD(optim.SGD{LearningRate: .1}, params)
		s := optim.Scaler{Interval: 2}
		torchtest.Raises(t, torch.Value, func() { s.Step(o, params) })
		step := func(factor float64) bool {
			o.ZeroGrad()
			s.Loss(w.MulScalar(factor).Sum()).Backward()
			return s.Step(o, params)
		}
		for i, want := range []struct {
			factor  float64
			stepped bool
			scale   float64
			w       float64
		}{
			{1, true, 65536, .9}, {1, true, 131072, .8}, {1, true, 131072, .7},
			{math.Inf(1), false, 65536, .7}, {1, true, 65536, .6}, {1, true, 131072, .5},
		} {
			if got := step(want.factor); got != want.stepped {
				t.Errorf("step %d: done %v, want %v", i, got, want.stepped)
			}
			if s.Scale != want.scale {
				t.Errorf("step %d: scale %v, want %v", i, s.Scale, want.scale)
			}
			torchtest.Close(t, "w", w, []float64{want.w, want.w + 1}, 1e-6)
		}
	})
}
