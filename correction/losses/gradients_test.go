package losses_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// constants are the losses whose gradient in training holds a part of the loss constant: each
// as a function of logits z in which that part is the one of the logits at. Central
// differences of it are the gradient.
var constants = map[string]func(e losses.Entry, m *correction.Matrix, clip float64, z, at, y torch.Tensor) torch.Tensor{
	"reweight": importance, "reweight-estimated": importance,
	"elr": earlyLearning,
}

// importance holds w = p_y / (T' p)_y.
func importance(_ losses.Entry, m *correction.Matrix, clip float64, z, at, y torch.Tensor) torch.Tensor {
	given := func(x torch.Tensor) torch.Tensor { return x.Gather(1, y.Unsqueeze(1)) }
	p := probabilities(at, clip)
	w := given(p).Div(given(p.Mm(torch.FromDense(m.Dense()))))
	return given(probabilities(z, clip).Log()).Mul(w).Mean().Neg()
}

// earlyLearning holds the targets, which are (1-beta) p after the first step.
func earlyLearning(e losses.Entry, _ *correction.Matrix, clip float64, z, at, y torch.Tensor) torch.Tensor {
	s := e.Complete(losses.Settings{})
	p := probabilities(at, 1e-4)
	target := p.Div(p.SumKeep(1)).MulScalar(1 - s.Beta)
	pull := probabilities(z, 1e-4).Mul(target).Sum(1).Neg().Log1p().Mean()
	given := probabilities(z, clip).Gather(1, y.Unsqueeze(1))
	return given.Log().Mean().Neg().Add(pull.MulScalar(s.Lambda))
}

func probabilities(z torch.Tensor, clip float64) torch.Tensor {
	p := z.Softmax(1)
	if clip > 0 {
		p = p.Clamp(clip, 1-clip)
	}
	return p
}

// The gradient of each loss of the table, in training and in validation, by the logits and by
// the parameters of the loss, is that of central differences in float64 (torchtest.GradCheck:
// step 1e-5, tolerance 1e-6), and so is its second derivative in validation.
func TestGradientsOfAllLosses(t *testing.T) {
	for _, e := range losses.All {
		for _, clip := range []float64{0, .05} {
			if clip > 0 && !e.Clips {
				continue
			}
			t.Run(fmt.Sprintf("%s clip=%v", e.Name, clip), func(t *testing.T) {
				torchtest.NoLeak(t, func() { checkGradients(t, e, clip, losses.Settings{}) })
			})
		}
	}
}

// The same with settings that are not the defaults, but for losses with a constant part, whose
// formulas here have the defaults.
func TestGradientsFollowSettings(t *testing.T) {
	for _, e := range losses.All {
		given := losses.Settings{}
		for _, s := range e.Settings {
			*given.At(s.Key) = s.Default * .9
		}
		if given != (losses.Settings{}) && constants[e.Name] == nil {
			t.Run(e.Name, func(t *testing.T) {
				torchtest.NoLeak(t, func() { checkGradients(t, e, 0, given) })
			})
		}
	}
}

func checkGradients(t *testing.T, e losses.Entry, clip float64, settings losses.Settings) {
	const n, c = 6, 4
	rng := rand.New(rand.NewPCG(91, 92))
	m := randomMatrix(t, rng, c)
	y := labelsOf(rng, n, c)
	o := clipping(double, clip)
	o.Rows, o.Settings = n, settings
	if e.Trusted {
		o.Trusted = []correction.Trusted{{Index: 1, Label: 0}, {Index: 4, Label: 3}}
	}
	if e.Targets {
		for range n * c {
			o.Targets = append(o.Targets, rng.Float32())
		}
	}
	loss := func() losses.Loss { // each one in its first step
		loss, err := e.New(m, o)
		if err != nil {
			t.Fatal(err)
		}
		return loss
	}
	z := normal(rng, 1.5, n, c)
	validation := func(x torch.Tensor) torch.Tensor { return loss().Apply(x, y) }
	torchtest.GradCheck(t, "validation", validation, z)
	v := normal(rng, 1, n, c)
	torchtest.GradCheck(t, "validation, second", func(x torch.Tensor) torch.Tensor {
		if !x.RequiresGrad() {
			x = x.Detach().SetRequiresGrad(true)
		}
		slope := torch.Grad(validation(x), []torch.Tensor{x}, true)[0].Mul(v).Sum()
		return slope.Add(x.Sum().MulScalar(0)) // that of a linear loss does not depend on x
	}, z)
	if _, trains := loss().(losses.Trainer); !trains {
		return
	}
	if e.Networks == 2 {
		z = normal(rng, 1.5, 2, n, c)
	}
	training := func(x torch.Tensor) torch.Tensor { return trained{loss().(losses.Trainer)}.Apply(x, y) }
	if held := constants[e.Name]; held != nil {
		at := z
		checkConstant(t, training, func(x torch.Tensor) torch.Tensor { return held(e, m, clip, x, at, y) }, z)
	} else {
		torchtest.GradCheck(t, "training", training, z)
	}
	if learner, ok := loss().(losses.Learner); ok {
		checkLearner(t, learner, z, y)
	}
}

// checkConstant compares value and gradient of a loss at z with those of held, in which a
// part is constant.
func checkConstant(t *testing.T, training, held func(x torch.Tensor) torch.Tensor, z torch.Tensor) {
	t.Helper()
	torchtest.GradCheck(t, "training with the constant part", held, z)
	gradient := func(f func(x torch.Tensor) torch.Tensor) []float64 {
		x := z.Detach().SetRequiresGrad(true)
		return torch.Slice[float64](torch.Grad(f(x), []torch.Tensor{x}, false)[0])
	}
	torchtest.Close(t, "training", training(z), []float64{held(z).Item()}, 1e-12)
	torchtest.Near(t, "training gradient", gradient(training), gradient(held), 1e-12)
}

// checkLearner checks the gradient by each parameter of a loss.
func checkLearner(t *testing.T, learner losses.Learner, z, y torch.Tensor) {
	t.Helper()
	train := func() torch.Tensor { return trained{learner.(losses.Trainer)}.Apply(z, y) }
	for _, p := range learner.Parameters() {
		const step = 1e-5
		got := torch.Slice[float64](torch.Grad(train(), []torch.Tensor{p.Tensor}, false)[0])
		value := p.Tensor.Detach()
		data := torch.Slice[float64](value)
		want := make([]float64, len(data))
		at := func(i int, x float64) float64 {
			moved := append([]float64(nil), data...)
			moved[i] = x
			torch.NoGrad(func() { value.CopyFrom(torch.FromSlice(moved, value.Shape()...)) })
			return train().Item()
		}
		for i, x := range data {
			want[i] = (at(i, x+step) - at(i, x-step)) / (2 * step)
			at(i, x)
		}
		torchtest.Near(t, "gradient by "+p.Name, got, want, 1e-6)
	}
}
