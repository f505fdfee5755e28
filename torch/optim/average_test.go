package optim_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func all(params []nn.Parameter) (list []float64) {
	for _, p := range params {
		list = append(list, torch.Slice[float64](p.Tensor)...)
	}
	return list
}

// averaged takes steps of SGD from to to, fills the buffer with each step's number,
// and updates the average.
func averaged(e *optim.EMA, o optim.Optimizer, params []nn.Parameter, from, to int, after func(n int)) {
	for n := from; n < to; n++ {
		torch.Scope(func() {
			setGradients(params, n)
			o.Step()
			params[2].Tensor.Fill(float64(n))
			e.Update()
			after(n)
		})
	}
}

// 20 updates against torch 2.11.0, testdata/generate.py: 1e-12 in float64, 1e-6 in
// float32; the state has the names and values of AveragedModel's state_dict.
func TestEMAMatchesPyTorch(t *testing.T) {
	for _, precision := range []struct {
		dtype     torch.DType
		tolerance float64
	}{{torch.Float64, 1e-12}, {torch.Float32, 1e-6}} {
		torchtest.NoLeak(t, func() {
			want := readGolden(t).Averages[precision.dtype.String()]
			params := parameters(precision.dtype)
			o := optim.NewSGD(optim.SGD{LearningRate: .05}, params)
			e := optim.NewEMA(optim.EMA{Decay: .9}, params)
			live := torch.Live()
			averaged(e, o, params, 0, len(want.Trace), func(n int) {
				torchtest.Near(t, fmt.Sprintf("%v step %d", precision.dtype, n), all(e.State()[1:]), want.Trace[n], precision.tolerance)
			})
			if after := torch.Live(); after != live {
				t.Errorf("updates left %d tensors behind", after-live)
			}
			state := e.State()
			if len(state) != len(want.State) {
				t.Errorf("%d tensors of state, PyTorch has %d", len(state), len(want.State))
			}
			for _, s := range state {
				torchtest.Close(t, s.Name, s.Tensor, want.State[s.Name], precision.tolerance)
			}
		})
	}
}

func TestEMAUse(t *testing.T) {
	torchtest.NoLeak(t, func() {
		params := parameters(torch.Float32)
		o := optim.NewSGD(optim.SGD{LearningRate: .05}, params)
		e := optim.NewEMA(optim.EMA{}, params)
		averaged(e, o, params, 0, 3, func(int) {})
		weights, averages := all(params), all(e.State()[1:])
		if slices.Equal(weights, averages) {
			t.Fatal("the averages are the weights")
		}
		inside := func() {
			torchtest.Near(t, "the model within Use", all(params), averages, 0)
			if !params[0].Tensor.RequiresGrad() || !params[0].Tensor.IsLeaf() {
				t.Error("a weight is no trainable leaf within Use")
			}
			torchtest.Raises(t, torch.Value, e.Update)
			torchtest.Raises(t, torch.Value, func() { e.Use(func() { t.Error("Use within Use runs") }) })
			torchtest.Raises(t, torch.Value, func() { e.State() })
			torchtest.Raises(t, torch.Value, func() { _ = e.LoadState(nil) })
		}
		e.Use(inside)
		if err := torch.Try(func() error { e.Use(func() { inside(); torch.Ones(f32, 2).View(3) }); return nil }); err == nil {
			t.Error("Use swallowed a panic")
		}
		torchtest.Near(t, "the model after Use", all(params), weights, 0)
		torchtest.Near(t, "the averages after Use", all(e.State()[1:]), averages, 0)
	})
}

// An average that is saved after 7 updates and loaded into another ends where one
// that was not interrupted ends, to the bit; another model's state is refused.
func TestEMAState(t *testing.T) {
	torchtest.NoLeak(t, func() {
		make := func() (*optim.EMA, optim.Optimizer, []nn.Parameter) {
			params := parameters(torch.Float32)
			return optim.NewEMA(optim.EMA{Decay: .9}, params), optim.NewSGD(optim.SGD{LearningRate: .05}, params), params
		}
		whole, o, params := make()
		averaged(whole, o, params, 0, 20, func(int) {})

		first, o, params := make()
		averaged(first, o, params, 0, 7, func(int) {})
		second, o, resumed := make()
		if err := nn.LoadState(resumed, nn.StateDict(params)); err != nil {
			t.Fatal(err)
		}
		if err := second.LoadState(nn.StateDict(first.State())); err != nil {
			t.Fatal(err)
		}
		averaged(second, o, resumed, 7, 20, func(int) {})
		torchtest.Near(t, "resumed", all(second.State()), all(whole.State()), 0)

		err := second.LoadState(nn.StateDict(resumed))
		for _, want := range []string{"missing: n_averaged", "missing: module.weight [3 2]", "not expected: weight [3 2]"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v does not say %q", err, want)
			}
		}
	})
}

func TestRateFactors(t *testing.T) {
	factor := optim.ByPrefix(map[string]float64{"backbone.": .1, "backbone.stem.": 0})
	for name, want := range map[string]float64{"head.weight": 1, "backbone.4.weight": .1, "backbone.stem.weight": 0, "stem.weight": 1} {
		for range 100 { // a map is read in any order
			if got := factor(nn.Parameter{Name: name}); got != want {
				t.Fatalf("%s has the factor %v, want %v", name, got, want)
			}
		}
	}
	torchtest.NoLeak(t, func() {
		for _, bad := range []float64{-1, math.NaN()} {
			torchtest.Raises(t, torch.Value, func() {
				optim.NewAdam(optim.Adam{LearningRate: 1, RateFactor: biases(bad)}, parameters(torch.Float32))
			})
		}
		// A schedule moves both rates; a factor of 0 keeps the weights.
		params := parameters(torch.Float64)
		before := values(params)
		o := optim.NewSGD(optim.SGD{LearningRate: 1, RateFactor: optim.ByPrefix(map[string]float64{"weight": 0, "bias": .5})}, params)
		o.SetLearningRate(.5)
		params[0].Tensor.SetGrad(torch.OnesLike(params[0].Tensor))
		params[1].Tensor.SetGrad(torch.OnesLike(params[1].Tensor))
		o.Step()
		for i := range before {
			if i >= 6 {
				before[i] -= .25
			}
		}
		torchtest.Near(t, "after a step", values(params), before, 1e-15)
	})
}

// Each rate of PyTorch's schedulers, torch 2.11.0, testdata/generate.py, 1e-12.
func TestSchedulesMatchPyTorch(t *testing.T) {
	schedules := map[string]optim.Schedule{
		"constant":  optim.Constant(.1),
		"steps":     optim.Steps(.1, .2, 3, 5),
		"cosine":    optim.Cosine(.1, 10),
		"cosine to": optim.CosineTo(.1, .01, 10),
		"linear":    optim.Linear(.1, .02, 6),
		"warmup":    optim.Warmup(4, optim.Constant(.1)),
		"sequence":  optim.Sequence(optim.Warmup(4, optim.Constant(.1)), 4, optim.Cosine(.1, 6)),
	}
	golden := readGolden(t).Schedules
	if len(golden) != len(schedules) {
		t.Errorf("%d schedules, %d golden cases", len(schedules), len(golden))
	}
	for name, rates := range golden {
		for at, want := range rates {
			if got := schedules[name](at); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s at %d: %v, want %v", name, at, got, want)
			}
		}
	}
}
