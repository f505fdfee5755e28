package torch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// embedded is a case of EmbeddingLinear: texts with none to all of their steps padded in front.
type embedded struct {
	words, n, steps, dim, classes int
	p                             float64
	shared                        []int
}

func (c embedded) String() string {
	return fmt.Sprintf("%dx%d of %dx%d to %d, p %v %v", c.n, c.steps, c.words, c.dim, c.classes, c.p, c.shared)
}

// operands returns table, weight and bias, float32, and index, Int64.
func (c embedded) operands() (params []tensor, index tensor) {
	g := torch.NewGenerator(5, device)
	ids := torch.Slice[int64](g.Integers(1, c.words, torch.Options{DType: torch.Int64, Device: device}, c.n, c.steps))
	for n := range c.n {
		for t := range n * c.steps / max(1, c.n-1) {
			ids[n*c.steps+t] = 0
		}
	}
	return []tensor{
		g.Normal(0, 1, f32, c.words, c.dim),
		g.Normal(0, .1, f32, c.classes, c.steps*c.dim),
		g.Normal(0, 1, f32, c.classes),
	}, torchtest.FromSlice(ids, c.n, c.steps)
}

func (c embedded) fused(p []tensor, index tensor) tensor {
	return torch.EmbeddingLinear(p[0], index, p[1], p[2], c.p, torch.NewGenerator(7, device), c.shared...)
}

func (c embedded) composed(p []tensor, index tensor) tensor {
	x := torch.Embedding(p[0], index).Dropout(c.p, torch.NewGenerator(7, device), c.shared...)
	return x.ReLU().Flatten(1, -1).Linear(p[1], p[2])
}

// withGradients returns f's output and the gradients of its product with a fixed tensor.
func withGradients(f func(p []tensor, index tensor) tensor, params []tensor, index tensor, dtype torch.DType) []tensor {
	p := make([]tensor, len(params))
	for i := range p {
		p[i] = params[i].ToDType(dtype).Clone().SetRequiresGrad(true)
	}
	out := f(p, index)
	direction := torch.NewGenerator(9, device).Normal(0, 1, f32, out.Shape()...).ToDType(dtype)
	return append(torch.Grad(out.Mul(direction).Sum(), p, false), out.Detach())
}

var spatial = []int{1}

// referenceDType returns the dtype of the reference for the shim's loops, and the tolerance. On a GPU it is the
// loops' own dtype, since the mask depends on it.
func referenceDType(dtype torch.DType, tolerance float64) (torch.DType, float64) {
	if torchtest.OnGPU() && dtype == torch.Float32 {
		return torch.Float32, max(tolerance, 1e-4)
	}
	return torch.Float64, tolerance
}

// The shim's loops agree with the operations that they replace, in float64, in values and gradients for all sizes and
// kinds of dropout: within 1e-12, and 1e-5 of the largest for float32.
func TestEmbeddingLinearEqualsComposed(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, c := range []embedded{
		{words: 50, n: 20, steps: 40, dim: 50, classes: 2, p: .8, shared: spatial},
		{words: 50, n: 20, steps: 40, dim: 50, classes: 2, p: .8},
		{words: 50, n: 20, steps: 40, dim: 50, classes: 2},
		{words: 700, n: 130, steps: 70, dim: 50, classes: 2, p: .8},
		{words: 700, n: 130, steps: 70, dim: 50, classes: 2, p: .8, shared: spatial},
		{words: 9, n: 3, steps: 5, dim: 8, classes: 1, p: .5},
		{words: 9, n: 3, steps: 5, dim: 11, classes: 3, p: .5},
		{words: 9, n: 4, steps: 33, dim: 56, classes: 10, p: .5, shared: spatial},
		{words: 9, n: 4, steps: 33, dim: 57, classes: 3, p: .5},
		{words: 9, n: 4, steps: 33, dim: 131, classes: 5, p: .2},
		{words: 9, n: 4, steps: 33, dim: 131, classes: 5, p: .2, shared: spatial},
		{words: 9, n: 1, steps: 1, dim: 49, classes: 2},
		{words: 9, n: 3, steps: 5, dim: 5, classes: 2, p: .5}, // too narrow for the loops
		{words: 9, n: 3, steps: 5, dim: 8, classes: 2, p: 1},
	} {
		params, index := c.operands()
		dtype, tolerance := referenceDType(torch.Float32, 1e-5)
		want := withGradients(c.composed, params, index, dtype)
		for _, ids := range []tensor{index, index.ToDType(torch.Int32)} {
			got := withGradients(c.fused, params, ids, torch.Float32)
			for i, name := range []string{"table", "weight", "bias", "output"} {
				scale := max(1, largest(want[i]))
				torchtest.Close(t, fmt.Sprint(c, " ", name), got[i], torch.Slice[float64](want[i]), tolerance*scale)
			}
		}
		double := withGradients(c.fused, params, index, torch.Float64)
		want = withGradients(c.composed, params, index, torch.Float64)
		for i := range want {
			torchtest.Close(t, fmt.Sprint(c, " float64"), double[i], torch.Slice[float64](want[i]), 1e-12)
		}
	}
}

// Results are the same to the bit on any number of threads, except that products of the LSTM may be summed in another
// order.
func TestEmbeddingThreads(t *testing.T) {
	torchtest.OnCPU(t)
	defer torchtest.Scoped(t)()
	defer torch.SetThreads(torch.Threads())
	for _, c := range []struct {
		of interface {
			operands() ([]tensor, tensor)
			fused([]tensor, tensor) tensor
		}
		tolerance float64
	}{
		{embedded{words: 700, n: 300, steps: 100, dim: 50, classes: 2, p: .8}, 0},
		{embedded{words: 700, n: 300, steps: 100, dim: 50, classes: 2, p: .8, shared: spatial}, 0},
		{remembered{words: 900, n: 128, steps: 20, dim: 64, hidden: 128, padding: "some", p: .5}, 1e-5},
	} {
		params, index := c.of.operands()
		torch.SetThreads(1)
		one := withGradients(c.of.fused, params, index, torch.Float32)
		torch.SetThreads(2)
		for i, two := range withGradients(c.of.fused, params, index, torch.Float32) {
			within := c.tolerance * max(1, largest(one[i]))
			torchtest.Close(t, fmt.Sprint(c), two, torch.Slice[float64](one[i]), within)
		}
	}
}

// Gradients of gradients go through libtorch's operations, without the gradients of frozen operands.
func TestEmbeddingLinearTwice(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, of := range []struct {
		shared []int
		frozen int
	}{{nil, -1}, {spatial, -1}, {nil, 0}, {nil, 1}, {nil, 2}} {
		c := embedded{words: 5, n: 3, steps: 4, dim: 9, classes: 2, p: .5, shared: of.shared}
		params, index := c.operands()
		second := func(f func([]tensor, tensor) tensor, dtype torch.DType) []tensor {
			var all, free []tensor
			for i := range params {
				p := params[i].ToDType(dtype).Clone()
				if i != of.frozen {
					free = append(free, p.SetRequiresGrad(true))
				}
				all = append(all, p)
			}
			first := torch.Grad(f(all, index).Square().Sum(), free, true)
			return torch.Grad(first[0].Square().Sum().Add(first[1].Square().Sum()), free, false)
		}
		dtype, tolerance := referenceDType(torch.Float32, 1e-4)
		got, want := second(c.fused, torch.Float32), second(c.composed, dtype)
		for i := range want {
			torchtest.Close(t, fmt.Sprintf("%+v", of), got[i], torch.Slice[float64](want[i]), tolerance)
		}
	}
}

// NaN in the table reaches the result.
func TestEmbeddingsShowNaN(t *testing.T) {
	defer torchtest.Scoped(t)()
	linear := embedded{words: 5, n: 2, steps: 4, dim: 9, classes: 2}
	table, index := linear.operands()
	lstm := remembered{words: 5, n: 2, steps: 4, dim: 3, hidden: 2, padding: "none"}
	params, words := lstm.operands()
	table[0].Fill(math.NaN())
	params[0].Fill(math.NaN())
	for _, out := range []tensor{linear.fused(table, index), lstm.fused(params, words)} {
		expect.Same(t, 4, out.Ne(out).Sum().Item(), "elements that are NaN")
	}
}

func TestEmbeddingLinearErrors(t *testing.T) {
	defer torchtest.Scoped(t)()
	c := embedded{words: 5, n: 2, steps: 4, dim: 8, classes: 2, p: .5}
	p, index := c.operands()
	g := torch.NewGenerator(1, device)
	run := func(table, index, weight, bias tensor, p float64, g *torch.Generator, shared ...int) func() {
		return func() { torch.EmbeddingLinear(table, index, weight, bias, p, g, shared...) }
	}
	var beyond []func()
	if !torchtest.OnGPU() {
		beyond = []func(){run(p[0], index.AddScalar(-1).ToDType(torch.Int32), p[1], p[2], 0, nil)}
		for _, by := range []float64{1, -1, 1 << 40} {
			beyond = append(beyond, run(p[0], index.AddScalar(by), p[1], p[2], 0, nil))
		}
	}
	for kind, calls := range map[torch.Kind][]func(){
		torch.Index: append(beyond,
			run(p[0], index, p[1], p[2], .5, g, 0), run(p[0], index, p[1], p[2], .5, g, 1, 1)),
		torch.Value: {run(p[0], index, p[1], p[2], 1.5, g), run(p[0], index, p[1], p[2], .5, nil)},
		torch.Shape: {
			run(p[0], index, p[1].Narrow(1, 0, 16), p[2], 0, nil),
			run(p[0], index.Flatten(0, 1), p[1], p[2], 0, nil),
			run(p[0], index, p[1], torch.Ones(f32, 3), 0, nil),
		},
		torch.DTypeMismatch: {
			run(p[0], p[0], p[1], p[2], 0, nil),
			run(p[0], index, p[1].ToDType(torch.Float64), p[2], 0, nil),
		},
	} {
		for _, call := range calls {
			expect.Same(t, "embedding_linear", torchtest.Raises(t, kind, call).Op, "operation")
		}
	}
}
