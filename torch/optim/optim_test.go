package optim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

var methods = map[string]func(params []nn.Parameter) optim.Optimizer{
	"sgd": func(p []nn.Parameter) optim.Optimizer { return optim.NewSGD(optim.SGD{LearningRate: .05}, p) },
	"sgd decay weights": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05, WeightDecay: .1}, p)
	},
	"sgd decay all": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05, WeightDecay: .1, DecayAll: true}, p)
	},
	"momentum": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05, Momentum: .9}, p)
	},
	"nesterov": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05, Momentum: .9, Nesterov: true, WeightDecay: .1}, p)
	},
	"adagrad": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, p)
	},
	"adagrad initial": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-6, InitialAccumulator: .1, WeightDecay: .1}, p)
	},
	"adam": func(p []nn.Parameter) optim.Optimizer { return optim.NewAdam(optim.Adam{LearningRate: .01}, p) },
	"adam decay": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdam(optim.Adam{LearningRate: .01, Beta1: .8, Beta2: .99, Epsilon: 1e-6, WeightDecay: .1}, p)
	},
	"adamw": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdam(optim.Adam{LearningRate: .01, WeightDecay: .1, Decoupled: true}, p)
	},
	"rmsprop": func(p []nn.Parameter) optim.Optimizer { return optim.NewRMSprop(optim.RMSprop{LearningRate: .01}, p) },
	"rmsprop decay": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewRMSprop(optim.RMSprop{LearningRate: .01, Alpha: .9, Epsilon: 1e-6, WeightDecay: .1}, p)
	},
	"rmsprop momentum": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewRMSprop(optim.RMSprop{LearningRate: .01, Momentum: .9}, p)
	},
	"rmsprop centered": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewRMSprop(optim.RMSprop{LearningRate: .01, Centered: true}, p)
	},
	"rmsprop all": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewRMSprop(optim.RMSprop{LearningRate: .01, Alpha: .9, Momentum: .5, Centered: true, WeightDecay: .1, DecayAll: true}, p)
	},
	"sgd rates": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05, Momentum: .9, WeightDecay: .1, RateFactor: biases(.1)}, p)
	},
	"adagrad rates": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, RateFactor: biases(.1)}, p)
	},
	"adam rates": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdam(optim.Adam{LearningRate: .01, WeightDecay: .1, Decoupled: true, RateFactor: biases(2)}, p)
	},
	"rmsprop rates": func(p []nn.Parameter) optim.Optimizer {
		return optim.NewRMSprop(optim.RMSprop{LearningRate: .01, RateFactor: biases(.1)}, p)
	},
}

func biases(factor float64) optim.RateFactor {
	return optim.ByPrefix(map[string]float64{"bias": factor})
}

type run struct {
	Trace [][]float64
	State map[string][]float64
}

type golden struct {
	Cases     map[string]map[string]run
	Averages  map[string]run
	Schedules map[string][]float64
}

func readGolden(t *testing.T) (g golden) {
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
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
		index := torch.Arange(0, 6, 1, torch.Options{DType: torch.Float64, Device: device}).AddScalar(float64(6 * step))
		weight.SetGrad(index.Sin().Reshape(3, 2).ToDType(weight.DType()).Add(weight.Detach().MulScalar(.1)))
		bias.SetGrad(index.Narrow(0, 0, 3).Cos().ToDType(bias.DType()).Add(bias.Detach().MulScalar(.1)))
	})
}

func values(params []nn.Parameter) []float64 {
	return append(torch.Slice[float64](params[0].Tensor), torch.Slice[float64](params[1].Tensor)...)
}

// 20 steps against torch 2.11.0, testdata/generate.py: 1e-10 in float64, 1e-6 in
// float32.
func TestStepsMatchPyTorch(t *testing.T) {
	golden := readGolden(t).Cases
	if got, want := slices.Sorted(maps.Keys(methods)), slices.Sorted(maps.Keys(golden)); !slices.Equal(got, want) {
		t.Fatalf("methods %q, golden cases %q", got, want)
	}
	for name, make := range methods {
		for _, precision := range []struct {
			dtype     torch.DType
			tolerance float64
		}{{torch.Float64, 1e-10}, {torch.Float32, 1e-6}} {
			torchtest.NoLeak(t, func() {
				want := golden[name][precision.dtype.String()]
				params := parameters(precision.dtype)
				optimizer := make(params)
				live := torch.Live()
				for n, trace := range want.Trace {
					torch.Scope(func() {
						setGradients(params, n)
						optimizer.Step()
						torchtest.Near(t, fmt.Sprintf("%s %v step %d", name, precision.dtype, n), values(params), trace, precision.tolerance)
					})
				}
				if after := torch.Live(); after != live {
					t.Errorf("%s: steps left %d tensors behind", name, after-live)
				}
				state := optimizer.State()
				if len(state) != len(want.State)+1 {
					t.Errorf("%s: %d tensors of state, PyTorch has %d", name, len(state)-1, len(want.State))
				}
				for _, s := range state[1:] {
					torchtest.Close(t, name+" "+s.Name, s.Tensor, want.State[s.Name], precision.tolerance)
				}
				torchtest.Close(t, name+" buffer", params[2].Tensor, []float64{1, 1, 1}, 0)
			})
		}
	}
}

// A run that is saved after 7 steps and goes on in new tensors must end where
// one that was not interrupted ends, to the bit.
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
			if err := nn.LoadState(second, nn.StateDict(first)); err != nil {
				t.Fatal(err)
			}
			if err := resumed.LoadState(nn.StateDict(optimizer.State())); err != nil {
				t.Fatal(err)
			}
			step(resumed, second, 7, 20)
			torchtest.Near(t, name, values(second), values(whole), 0)
		})
	}
}

func TestLoadStateOfAnotherMethod(t *testing.T) {
	torchtest.NoLeak(t, func() {
		params := parameters(torch.Float32)
		err := optim.NewAdam(optim.Adam{LearningRate: 1}, params).LoadState(nn.StateDict(optim.NewAdaGrad(optim.AdaGrad{}, params).State()))
		for _, want := range []string{"missing: weight.exp_avg [3 2]", "missing: bias.exp_avg_sq [3]", "not expected: weight.sum [3 2]"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v does not say %q", err, want)
			}
		}
	})
}

func TestNoGradientNoStep(t *testing.T) {
	for name, make := range methods {
		torchtest.NoLeak(t, func() {
			params := parameters(torch.Float32)
			before := values(params)
			optimizer := make(params)
			optimizer.Step()
			torchtest.Near(t, name+" without gradients", values(params), before, 0)
			params[1].Tensor.SetGrad(torch.OnesLike(params[1].Tensor))
			optimizer.Step()
			after := values(params)
			torchtest.Near(t, name+" weight without gradient", after[:6], before[:6], 0)
			for i := range 3 {
				if !(after[6+i] < before[6+i]) {
					t.Errorf("%s: bias %d went from %v to %v against a gradient of 1", name, i, before[6+i], after[6+i])
				}
			}
			optimizer.ZeroGrad()
			if params[1].Tensor.Grad().Defined() {
				t.Errorf("%s: ZeroGrad left a gradient", name)
			}
		})
	}
}

func TestSetLearningRate(t *testing.T) {
	torchtest.NoLeak(t, func() {
		params := parameters(torch.Float64)
		before := values(params)
		optimizer := optim.NewSGD(optim.SGD{LearningRate: 1}, params)
		optimizer.SetLearningRate(.25)
		if got := optimizer.LearningRate(); got != .25 {
			t.Errorf("rate %v after setting .25", got)
		}
		params[1].Tensor.SetGrad(torch.OnesLike(params[1].Tensor))
		optimizer.Step()
		torchtest.Near(t, "bias", values(params)[6:], []float64{before[6] - .25, before[7] - .25, before[8] - .25}, 1e-15)
	})
}

// Steps are counted beyond the whole numbers that float32 has, 2^24, on a GPU too.
func TestManySteps(t *testing.T) {
	torchtest.NoLeak(t, func() {
		params := parameters(torch.Float32)
		o := optim.NewAdam(optim.Adam{LearningRate: 1}, params)
		state := nn.StateDict(o.State())
		state["step"] = torch.Full(1<<24, torch.Options{DType: torch.Int64})
		if err := o.LoadState(state); err != nil {
			t.Fatal(err)
		}
		before := values(params)
		params[1].Tensor.SetGrad(torch.OnesLike(params[1].Tensor))
		o.Step()
		if n := o.State()[0].Tensor.Item(); n != 1<<24+1 {
			t.Errorf("%v steps, want %d", n, 1<<24+1)
		}
		// Corrections of the moments end long before: m = .1 and v = .001.
		moved := .1 / (math.Sqrt(.001) + 1e-8)
		want := []float64{before[6] - moved, before[7] - moved, before[8] - moved}
		torchtest.Near(t, "bias", values(params)[6:], want, 1e-5)
	})
}

func TestClipGradNorm(t *testing.T) {
	torchtest.NoLeak(t, func() {
		params := parameters(torch.Float64)
		params[0].Tensor.SetGrad(torch.Full(2, torch.Options{DType: torch.Float64, Device: device}, 3, 2))
		params[1].Tensor.SetGrad(torchtest.FromSlice([]float64{0, 0, 5}))
		if got := optim.ClipGradNorm(params, 100).Item(); got != 7 { // sqrt(6*4 + 25)
			t.Errorf("norm %v, want 7", got)
		}
		torchtest.Close(t, "below the limit", params[1].Tensor.Grad(), []float64{0, 0, 5}, 0)
		optim.ClipGradNorm(params, 3.5)
		torchtest.Close(t, "clipped", params[1].Tensor.Grad(), []float64{0, 0, 2.5}, 1e-6)
		if got := optim.ClipGradNorm(params, 100).Item(); math.Abs(got-3.5) > 1e-6 {
			t.Errorf("norm after clipping to 3.5 is %v", got)
		}
	})
}

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		name string
		s    optim.Schedule
		want map[int]float64
	}{
		{"constant", optim.Constant(.3), map[int]float64{0: .3, 1000: .3}},
		{"steps", optim.Steps(.1, .1, 40, 80), map[int]float64{0: .1, 39: .1, 40: .01, 79: .01, 80: .001, 119: .001}},
		{"cosine", optim.Cosine(2, 10), map[int]float64{0: 2, 5: 1, 10: 0, 11: 0, 2: 1 + math.Cos(math.Pi/5)}},
		{"warmup", optim.Warmup(4, optim.Constant(1)), map[int]float64{0: .25, 1: .5, 3: 1, 4: 1, 100: 1}},
		{"cosine to", optim.CosineTo(2, 1, 10), map[int]float64{0: 2, 5: 1.5, 10: 1, 11: 1}},
		{"linear", optim.Linear(1, 3, 4), map[int]float64{0: 1, 1: 1.5, 4: 3, 9: 3}},
		{"sequence", optim.Sequence(optim.Constant(1), 2, optim.Linear(4, 0, 2)), map[int]float64{0: 1, 1: 1, 2: 4, 3: 2, 4: 0}},
		{"warmup of cosine", optim.Warmup(2, optim.Cosine(2, 10)), map[int]float64{0: 1, 5: 1}},
	} {
		for at, want := range c.want {
			if got := c.s(at); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s at %d: %v, want %v", c.name, at, got, want)
			}
		}
	}
}

// A layer under two names, or one of its names frozen, is one weight: it is stepped,
// unscaled, clipped, averaged and counted once, as PyTorch's parameters() lists it.
func TestLayerUsedTwice(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, second := range []nn.Role{nn.Weight, nn.Buffer} {
			w := torchtest.FromSlice([]float64{1, 1}).SetRequiresGrad(true)
			params := []nn.Parameter{{Name: "in", Tensor: w}, {Name: "out", Tensor: w, Role: second}}
			if n := nn.CountParameters(params); n != 2 {
				t.Errorf("%d parameters, want 2", n)
			}
			if state := nn.StateDict(params); state["in"] != w || state["out"] != w {
				t.Errorf("the state is %v", state)
			}
			e := optim.NewEMA(optim.EMA{Decay: .5}, params)
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
				e.Update()
			}
			step(.75)
			step(.5)
			torchtest.Near(t, "norm", []float64{optim.ClipGradNorm(params, 9).Item()}, []float64{math.Sqrt2}, 1e-15)
			e.Use(func() { torchtest.Near(t, "average", torch.Slice[float64](w.Detach()), []float64{.625, .625}, 0) })
			torchtest.Near(t, "weight after Use", torch.Slice[float64](w.Detach()), []float64{.5, .5}, 0)
		}
	})
}
