package optim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Where these tests run; see torchtest.Device.
var device = torchtest.Device()

var methods = map[string]func(params []nn.Parameter) optim.Optimizer{
	"sgd": func(p []nn.Parameter) optim.Optimizer { return optim.NewSGD(optim.SGD{LearningRate: .05}, p) },
	"sgd decay weights": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05, WeightDecay: .1}, p)
	},
	"momentum": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05, Momentum: .9}, p)
	},
	"adagrad": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, p)
	},
	"adam": func(p []nn.Parameter) optim.Optimizer { return optim.NewAdam(optim.Adam{LearningRate: .01}, p) },
	"adam decay": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdam(optim.Adam{LearningRate: .01, Beta1: .8, Beta2: .99, Epsilon: 1e-6, WeightDecay: .1}, p)
	},
}

type run struct {
	Trace [][]float64
	State map[string][]float64
}

type golden struct {
	Cases map[string]map[string]run
}

func readGolden(t *testing.T) (g golden) {
	data := expect.Got(os.ReadFile("testdata/golden.json"))(t)
	expect.OK(t, json.Unmarshal(data, &g))
	return g
}

func parameters(d torch.DType) []nn.Parameter {
	o := torch.Options{DType: d, Device: device}
	return []nn.Parameter{
		{Name: "weight", Tensor: torch.Linspace(-1, 1, 6, o).Reshape(3, 2).Clone().SetRequiresGrad(true)},
		{Name: "bias", Tensor: torch.Linspace(.5, -.5, 3, o).SetRequiresGrad(true), Role: nn.Bias},
		{Name: "running_mean", Tensor: torch.Ones(o, 3), Role: nn.Buffer},
	}
}

// setGradients gives parameters the gradients of testdata/generate.py.
func setGradients(params []nn.Parameter, step int) {
	weight, bias := params[0].Tensor, params[1].Tensor
	torch.NoGrad(func() {
		sines, cosines := make([]float64, 6), make([]float64, 3)
		for i := range sines {
			sines[i] = math.Sin(float64(6*step + i))
		}
		for i := range cosines {
			cosines[i] = math.Cos(float64(6*step + i))
		}
		weight.SetGrad(torchtest.FromSlice(sines, 3, 2).ToDType(weight.DType()).Add(weight.Detach().MulScalar(.1)))
		bias.SetGrad(torchtest.FromSlice(cosines).ToDType(bias.DType()).Add(bias.Detach().MulScalar(.1)))
	})
}

func ones(t torch.Tensor) torch.Tensor { return torch.Ones(t.Options(), t.Shape()...) }

func values(params []nn.Parameter) []float64 {
	return append(torch.Slice[float64](params[0].Tensor), torch.Slice[float64](params[1].Tensor)...)
}

// 20 steps against torch 2.11.0, testdata/generate.py: 1e-10 in float64, 1e-6 in
// float32.
func TestStepsMatchPyTorch(t *testing.T) {
	golden := readGolden(t).Cases
	expect.Same(t, slices.Sorted(maps.Keys(golden)), slices.Sorted(maps.Keys(methods)), "methods")
	for name, make := range methods {
		for _, precision := range []struct {
			dtype     torch.DType
			tolerance float64
		}{{torch.Float64, 1e-10}, {torch.Float32, 1e-6}} {
			torchtest.NoLeak(t, func() {
				want := golden[name][precision.dtype.String()]
				params := parameters(precision.dtype)
				optimizer := make(params)
				for n, trace := range want.Trace {
					torchtest.NoLeak(t, func() {
						setGradients(params, n)
						optimizer.Step()
						torchtest.Near(t, fmt.Sprintf("%s %v step %d", name, precision.dtype, n), values(params), trace,
							precision.tolerance)
					})
				}
				state := optimizer.State()
				expect.Same(t, len(want.State)+1, len(state), name+": tensors of state")
				for _, s := range state[1:] {
					torchtest.Close(t, name+" "+s.Name, s.Tensor, want.State[s.Name], precision.tolerance)
				}
				torchtest.Close(t, name+" buffer", params[2].Tensor, []float64{1, 1, 1}, 0)
			})
		}
	}
}

// A run that is saved after 7 steps and resumed in new tensors must end where one that was not interrupted ends, to
// the bit.
func TestStateGoesOn(t *testing.T) {
	for name, make := range methods {
		torchtest.NoLeak(t, func() {
			step := func(o optim.Optimizer, p []nn.Parameter, from, to int) {
				for n := from; n < to; n++ {
					setGradients(p, n)
					o.Step()
				}
			}
			whole := parameters(torch.Float32)
			step(make(whole), whole, 0, 20)

			first := parameters(torch.Float32)
			optimizer := make(first)
			step(optimizer, first, 0, 7)
			second := parameters(torch.Float32)
			resumed := make(second)
			expect.OK(t, nn.LoadState(second, nn.StateDict(first)))
			expect.OK(t, resumed.LoadState(nn.StateDict(optimizer.State())))
			step(resumed, second, 7, 20)
			torchtest.Near(t, name, values(second), values(whole), 0)
		})
	}
}

func TestNoGradientNoStep(t *testing.T) {
	for name, make := range methods {
		torchtest.NoLeak(t, func() {
			params := parameters(torch.Float32)
			before := values(params)
			optimizer := make(params)
			optimizer.Step()
			torchtest.Near(t, name+" without gradients", values(params), before, 0)
			params[1].Tensor.SetGrad(ones(params[1].Tensor))
			optimizer.Step()
			after := values(params)
			torchtest.Near(t, name+" weight without gradient", after[:6], before[:6], 0)
			for i := range 3 {
				if !(after[6+i] < before[6+i]) {
					t.Errorf("%s: bias %d went from %v to %v against a gradient of 1", name, i, before[6+i], after[6+i])
				}
			}
			optimizer.ZeroGrad()
			expect.Same(t, false, params[1].Tensor.Grad().Defined(), name+": a gradient after ZeroGrad")
		})
	}
}

// Steps are counted beyond the whole numbers that float32 has, 2^24, on a GPU too.
func TestManySteps(t *testing.T) {
	defer torchtest.Scoped(t)()
	params := parameters(torch.Float32)
	o := optim.NewAdam(optim.Adam{LearningRate: 1}, params)
	state := nn.StateDict(o.State())
	state["step"] = torch.Full(1<<24, torch.Options{DType: torch.Int64})
	expect.OK(t, o.LoadState(state))
	before := values(params)
	params[1].Tensor.SetGrad(ones(params[1].Tensor))
	o.Step()
	expect.Same(t, 1<<24+1, o.State()[0].Tensor.Item(), "steps")
	// Corrections of the moments end long before: m = .1 and v = .001.
	moved := .1 / (math.Sqrt(.001) + 1e-8)
	want := []float64{before[6] - moved, before[7] - moved, before[8] - moved}
	torchtest.Near(t, "bias", values(params)[6:], want, 1e-5)
}

// A layer under two names, or one of its names frozen, is one weight: it is stepped,
// unscaled and counted once, as PyTorch's parameters() lists it.
func TestLayerUsedTwice(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, second := range []nn.Role{nn.Weight, nn.Buffer} {
		w := torchtest.FromSlice([]float64{1, 1}).SetRequiresGrad(true)
		params := []nn.Parameter{{Name: "in", Tensor: w}, {Name: "out", Tensor: w, Role: second}}
		expect.Same(t, 2, nn.CountParameters(params), "parameters")
		if state := nn.StateDict(params); state["in"] != w || state["out"] != w {
			t.Errorf("the state is %v", state)
		}
		o := optim.NewAdam(optim.Adam{LearningRate: .25}, params)
		if n := len(o.State()); n != 3 { // the steps and two moments
			t.Errorf("Adam keeps %d tensors", n)
		}
		s := optim.Scaler{Scale: 4}
		step := func(want float64) {
			sgd := optim.NewSGD(optim.SGD{LearningRate: .25}, params)
			sgd.ZeroGrad()
			s.Loss(w.Sum()).Backward()
			s.Step(sgd, params)
			torchtest.Near(t, "gradient", torch.Slice[float64](w.Grad()), []float64{1, 1}, 0)
			torchtest.Near(t, "weight", torch.Slice[float64](w.Detach()), []float64{want, want}, 0)
		}
		step(.75)
		step(.5)
	}
}

// Steps are those without a scaler; one with an infinite gradient is left out and
// halves the scale, Interval finite ones in a row double it.
func TestScaler(t *testing.T) {
	defer torchtest.Scoped(t)()
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
		factor   float64
		stepped  bool
		scale, w float64
	}{
		{1, true, 65536, .9}, {1, true, 131072, .8}, {1, true, 131072, .7},
		{math.Inf(1), false, 65536, .7}, {1, true, 65536, .6}, {1, true, 131072, .5},
	} {
		expect.Same(t, want.stepped, step(want.factor), fmt.Sprint("step ", i, " done"))
		expect.Same(t, want.scale, s.Scale, fmt.Sprint("scale of step ", i))
		torchtest.Close(t, "w", w, []float64{want.w, want.w + 1}, 1e-6)
	}
}
