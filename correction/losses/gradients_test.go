package losses_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// constants are the losses that treat a part of the loss as constant in training, which central differences cannot
// check; golden files do.
var constants = []string{"reweight", "reweight-estimated", "elr"}

// The gradient of each loss by the logits, in training and in validation, and its second derivative in validation
// equal central differences in float64 (torchtest.GradCheck: step 1e-5, tolerance 1e-6), with and without clipping
// and with other settings than the defaults. Labels out of range and wrong shapes are refused.
func TestGradientsOfAllLosses(t *testing.T) {
	for _, e := range losses.All {
		other := losses.Settings{}
		for _, s := range e.Settings {
			*other.At(s.Key) = s.Default * .9
		}
		t.Run(e.Name, func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				checkGradients(t, e, 0, losses.Settings{})
				if e.Clips {
					checkGradients(t, e, .05, losses.Settings{})
				}
				if len(e.Settings) > 0 {
					checkGradients(t, e, 0, other)
				}
			})
		})
	}
}

func checkGradients(t *testing.T, e losses.Entry, clip float64, settings losses.Settings) {
	const n, c = 6, 4
	rng := rand.New(rand.NewPCG(91, 92))
	m := goldenT(c)
	y := labelsOf(rng, n, c)
	o := double
	o.Clip, o.Rows, o.Settings = clip, n, settings
	if e.Trusted {
		o.Trusted = []correction.Trusted{{Index: 1, Label: 0}, {Index: 4, Label: 3}}
	}
	if e.Targets {
		for range n * c {
			o.Targets = append(o.Targets, rng.Float32())
		}
	}
	loss := func() losses.Loss { return newLoss(t, e.Name, m, o) } // in its first step
	z := normal(rng, 1.5, n, c)
	validation := func(x torch.Tensor) torch.Tensor { return loss().Apply(x, y) }
	torchtest.GradCheck(t, "validation", validation, z)
	v := normal(rng, 1, n, c)
	torchtest.GradCheck(t, "validation, second", func(x torch.Tensor) torch.Tensor {
		if !x.RequiresGrad() {
			x = x.Detach().SetRequiresGrad(true)
		}
		slope := torch.Grad(validation(x), []torch.Tensor{x}, true)[0].Mul(v).Sum()
		return slope.Add(x.Sum().MulScalar(0)) // a linear loss has a constant slope
	}, z)
	tooMany, noClass := torch.FromSlice(make([]int64, n+1)), torch.FromSlice([]int64{0, 1, 2, 0, 1, 2 * c})
	torchtest.Raises(t, torch.Shape, func() { loss().Apply(z, tooMany) })
	torchtest.Raises(t, torch.Index, func() { loss().Apply(z, noClass) })
	if _, trains := loss().(losses.Trainer); !trains {
		return
	}
	if e.Networks == 2 {
		z = normal(rng, 1.5, 2, n, c)
	}
	training := func(x torch.Tensor) torch.Tensor { return trained{loss().(losses.Trainer)}.Apply(x, y) }
	for _, misfit := range []torch.Tensor{tooMany, noClass} {
		err := torch.Try(func() error { trained{loss().(losses.Trainer)}.Apply(z, misfit); return nil })
		if err == nil && !(e.Targets && misfit == noClass) { // losses with targets ignore labels
			t.Errorf("labels %v were taken", torch.Slice[int64](misfit))
		}
	}
	if !slices.Contains(constants, e.Name) {
		torchtest.GradCheck(t, "training", training, z)
	}
}
