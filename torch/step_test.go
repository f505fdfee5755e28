package torch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// stepper is an optimizer step with n lists of state.
type stepper struct {
	name   string
	states int
	step   func(params []tensor, state [][]tensor)
}

var steppers = []stepper{
	{"sgd_step", 0, func(p []tensor, _ [][]tensor) { torch.SGD{LearningRate: .1, WeightDecay: .1}.Step(p, nil) }},
	{"sgd_step", 1, func(p []tensor, s [][]tensor) {
		torch.SGD{LearningRate: .1, Momentum: .9, WeightDecay: .1}.Step(p, s[0])
	}},
	{"adagrad_step", 1, func(p []tensor, s [][]tensor) {
		torch.AdaGrad{LearningRate: .1, Epsilon: 1e-10, WeightDecay: .1}.Step(p, s[0])
	}},
	{"adam_step", 2, func(p []tensor, s [][]tensor) {
		torch.Adam{LearningRate: .1, Beta1: .9, Beta2: .99, Epsilon: 1e-8, WeightDecay: .1}.Step(p, s[0], s[1], 3)
	}},
}

// ramp returns n numbers from low to high in the given shape.
func ramp(low, high float64, shape ...int) tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return torch.Linspace(low, high, n, f32).Reshape(shape...)
}

// Steps of 16-bit parameters equal rounded float32 steps, unlike libtorch's fused SGD on the CPU. Expected: the same
// step in float32; one rounding, 2^-8, and for float16 2^-11, of numbers up to 3.
func TestStepsOfHalfPrecision(t *testing.T) {
	torchtest.OnCPU(t)
	defer torchtest.Scoped(t)()
	for _, s := range steppers {
		for dtype, tolerance := range map[torch.DType]float64{torch.BFloat16: 3. / 256, torch.Float16: 3. / 2048} {
			for _, n := range []int{1, 16, 49, 90} {
				run := func(as torch.DType) []float64 {
					make16 := func(low, high float64) tensor { return ramp(low, high, n).ToDType(dtype).ToDType(as) }
					p := make16(-1, 1).SetRequiresGrad(true)
					p.SetGrad(make16(2, -3))
					var lists [][]tensor
					for range s.states {
						lists = append(lists, []tensor{make16(.5, 1.5)})
					}
					s.step([]tensor{p}, lists)
					return torch.Slice[float64](p.Detach())
				}
				torchtest.Near(t, fmt.Sprint(s.name, " ", dtype, " ", n), run(dtype), run(torch.Float32), tolerance)
			}
		}
	}
}

// Gradients and state that do not match the parameters are refused before any change.
func TestStepsRefuse(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, s := range steppers {
		if s.states == 0 {
			continue
		}
		for _, c := range []struct {
			name string
			kind torch.Kind
			last func(like tensor) []tensor // returns the last list of state for two parameters
		}{
			{"too few", torch.Shape, func(z tensor) []tensor { return []tensor{z} }},
			{"too many", torch.Shape, func(z tensor) []tensor { return []tensor{z, z, z} }},
			{"none", torch.Shape, func(tensor) []tensor { return nil }},
			{"smaller", torch.Shape, func(z tensor) []tensor { return []tensor{z, torch.Zeros(f32, 1)} }},
			{"of another shape", torch.Shape, func(z tensor) []tensor { return []tensor{z, torch.Zeros(f32, 3, 2)} }},
			{"of another dtype", torch.DTypeMismatch, func(z tensor) []tensor { return []tensor{z, z.ToDType(torch.Float64)} }},
			{"ended", torch.StaleHandle, func(z tensor) []tensor {
				var gone tensor
				torch.Scope(func() { gone = z.Clone() })
				return []tensor{z, gone}
			}},
			{"expanded", torch.Value, func(z tensor) []tensor { return []tensor{z, torch.Zeros(f32, 1, 1).Expand(2, 3)} }},
		} {
			params := []tensor{torch.Ones(f32, 2, 3), torch.Ones(f32, 2, 3)}
			for _, p := range params {
				p.SetRequiresGrad(true).SetGrad(torch.Ones(f32, 2, 3))
			}
			lists := make([][]tensor, s.states)
			for k := range lists {
				lists[k] = []tensor{torch.Zeros(f32, 2, 3), torch.Zeros(f32, 2, 3)}
			}
			lists[s.states-1] = c.last(torch.Zeros(f32, 2, 3))
			e := torchtest.Raises(t, c.kind, func() { s.step(params, lists) })
			expect.Same(t, s.name, e.Op, c.name)
			for _, p := range params {
				torchtest.Close(t, s.name+" "+c.name, p.Detach(), []float64{1, 1, 1, 1, 1, 1}, 0)
			}
		}
	}
	// A parameter whose elements share memory.
	p := torch.Ones(f32, 1).Expand(5).Detach().SetRequiresGrad(true)
	p.SetGrad(torch.Ones(f32, 5))
	torchtest.Raises(t, torch.Value, func() { torch.SGD{LearningRate: .1}.Step([]tensor{p}, nil) })
}

// Unscale divides gradients by the scale and reports whether all are finite.
func TestUnscale(t *testing.T) {
	defer torchtest.Scoped(t)()
	a, b := torch.Ones(f32, 3).SetRequiresGrad(true), torch.Ones(f32, 2).SetRequiresGrad(true)
	frozen := torch.Ones(f32, 1)
	a.MulScalar(8).Sum().Backward()
	expect.Same(t, true, torch.Unscale([]tensor{a, b, frozen}, 4), "finite")
	torchtest.Close(t, "unscaled", a.Grad(), []float64{2, 2, 2}, 0)
	b.MulScalar(math.Inf(1)).Sum().Backward()
	expect.Same(t, false, torch.Unscale([]tensor{a, b, frozen}, 4), "finite, with an infinite gradient")
	expect.Same(t, true, torch.Unscale([]tensor{frozen}, 4), "finite, without gradients")
}
