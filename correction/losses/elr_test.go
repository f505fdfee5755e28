package losses_test

import (
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Losses, gradients and targets of three steps are those that PyTorch computed (torch
// 2.11.0, testdata/elr.py), probabilities 0 and 1 among them.
func TestELREqualsFormula(t *testing.T) {
	steps := readGolden[[]struct {
		Rows, Labels              []int64
		Logits, Gradient, Targets []float64
		Loss                      float64
	}](t, "elr")
	if len(steps) != 3 {
		t.Fatalf("%d steps, want 3", len(steps))
	}
	torchtest.NoLeak(t, func() {
		for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-12} {
			loss := losses.NewELR(3, losses.Options{Rows: 6, Options: torch.Options{DType: dtype}})
			kept := loss.(losses.Stateful).State()["targets"]
			for _, s := range steps {
				z := torch.FromSlice(s.Logits, 4, 3).ToDType(dtype).SetRequiresGrad(true)
				got := loss.(losses.Trainer).Train(losses.Batch{
					X: z, Labels: torch.FromSlice(s.Labels), Rows: torch.FromSlice(s.Rows), Forward: func(x torch.Tensor) torch.Tensor { return x },
				})
				torchtest.Close(t, "loss", got.ToDType(torch.Float64), []float64{s.Loss}, tolerance)
				g := torch.Grad(got, []torch.Tensor{z}, false)[0]
				torchtest.Close(t, "gradient", g.ToDType(torch.Float64), s.Gradient, tolerance)
				torchtest.Close(t, "targets", kept.ToDType(torch.Float64), s.Targets, tolerance)
			}
		}
	})
}

// With the targets held the gradient is that of central differences; validation is
// cross-entropy and leaves the targets alone; misfits are refused.
func TestELROnceAndInValidation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		o := double
		o.Rows = 4
		z, y := torch.FromSlice([]float64{.5, -1, 2, 0, .25, .125}, 2, 3), torch.FromSlice([]int64{2, 0})
		p := torch.Slice[float64](z.Softmax(1))
		fixed := func(x torch.Tensor) torch.Tensor { // targets .3 p
			pull := x.Softmax(1).Mul(torch.FromSlice(p, 2, 3)).MulScalar(.3).Sum(1).Neg().Log1p().Mean()
			return x.CrossEntropy(y).Add(pull.MulScalar(3))
		}
		torchtest.GradCheck(t, "the composed loss", fixed, z)
		loss := losses.NewELR(3, o)
		x := z.Detach().SetRequiresGrad(true)
		wide := z.Detach().SetRequiresGrad(true)
		got := torch.Grad((trained{loss.(losses.Trainer)}).Apply(x, y), []torch.Tensor{x}, false)[0]
		torchtest.Close(t, "gradient", got, torch.Slice[float64](torch.Grad(fixed(wide), []torch.Tensor{wide}, false)[0]), 1e-12)

		kept := loss.(losses.Stateful).State()["targets"]
		before := torch.Slice[float64](kept)
		torchtest.Close(t, "in validation", loss.Apply(z, y), []float64{z.CrossEntropy(y).Item()}, 1e-12)
		torchtest.Close(t, "in the selection", loss.(losses.Selector).Selection().Apply(z, y), []float64{.5}, 0)
		torchtest.Close(t, "targets after validation", kept, before, 0)
		torchtest.Close(t, "targets of examples that were in no batch", kept.Narrow(0, 2, 2), make([]float64, 6), 0)

		torchtest.Raises(t, torch.Index, func() {
			(trained{loss.(losses.Trainer)}).Apply(torch.Zeros(double.Options, 5, 3), torch.FromSlice(make([]int64, 5)))
		})
		torchtest.Raises(t, torch.Shape, func() { (trained{loss.(losses.Trainer)}).Apply(torch.Zeros(double.Options, 3, 3), y) })
	})
}

// The weights are read.
func TestELRSettings(t *testing.T) {
	torchtest.NoLeak(t, func() {
		o := double
		o.Rows, o.Settings = 1, losses.Settings{Lambda: 5, Beta: .5}
		loss := trained{losses.NewELR(2, o).(losses.Trainer)}
		z, y := torch.Zeros(double.Options, 1, 2), torch.FromSlice([]int64{0})
		// p = t/.5 = 1/2: the sum of p t is 1/4, and after a second step 3/8.
		torchtest.Close(t, "first", loss.Apply(z, y), []float64{0.6931471805599453 + 5*-0.2876820724517809}, 1e-12)
		torchtest.Close(t, "second", loss.Apply(z, y), []float64{0.6931471805599453 + 5*-0.4700036292457356}, 1e-12)
	})
}
