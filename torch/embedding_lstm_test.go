package torch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// remembered is a case of EmbeddingLSTM.
type remembered struct {
	words, n, steps, dim, hidden int
	// padding in front of texts: "none", "some", "whole" texts as well, or repeated "words" instead
	padding string
	p       float64
	mask    uint64 // seed of the dropout
}

// operands returns the table, the four parameters, and index, Int64.
func (c remembered) operands() (params []tensor, index tensor) {
	g := torch.NewGenerator(5, device)
	ids := torch.Slice[int64](g.Integers(1, c.words, torch.Options{DType: torch.Int64, Device: device}, c.n, c.steps))
	for i := range ids {
		n, t := i/c.steps, i%c.steps
		switch lead := (n * 7 % c.n) * (c.steps - 1) / c.n; {
		case c.padding == "some" && t < lead:
			ids[i] = 0
		case c.padding == "whole" && (t < lead || n%3 == 0):
			ids[i] = 0
		case c.padding == "words" && t < lead:
			ids[i] = int64(n % 3)
		}
	}
	normal := func(deviation float64, shape ...int) tensor {
		return g.Normal(0, deviation, torch.Options{DType: torch.Float64, Device: device}, shape...)
	}
	return []tensor{
		normal(1, c.words, c.dim), normal(.3, 4*c.hidden, c.dim), normal(.3, 4*c.hidden, c.hidden),
		normal(1, 4*c.hidden), normal(1, 4*c.hidden),
	}, torchtest.FromSlice(ids, c.n, c.steps)
}

func (c remembered) fused(p []tensor, index tensor) tensor {
	return torch.EmbeddingLSTM(p[0], index, p[1:], c.p, torch.NewGenerator(c.mask, device))
}

func (c remembered) composed(p []tensor, index tensor) tensor {
	x := torch.Embedding(p[0], index).Dropout(c.p, torch.NewGenerator(c.mask, device), 1)
	zeros := torch.Zeros(x.Options(), 1, c.n, c.hidden)
	_, h, _ := x.LSTM(zeros, zeros, p[1:])
	return h.Select(0, 0)
}

func largest(t tensor) float64 { return t.Abs().Amax().Item() }

var remembering = []remembered{
	{words: 30, n: 9, steps: 12, dim: 7, hidden: 5, padding: "none"},
	{words: 30, n: 9, steps: 12, dim: 7, hidden: 5, padding: "some"},
	{words: 30, n: 9, steps: 12, dim: 7, hidden: 5, padding: "whole"},
	{words: 30, n: 9, steps: 12, dim: 7, hidden: 5, padding: "words"},
	{words: 30, n: 9, steps: 12, dim: 7, hidden: 5, padding: "some", p: .5},
	{words: 30, n: 9, steps: 12, dim: 7, hidden: 5, padding: "whole", p: .8},
	{words: 300, n: 70, steps: 30, dim: 33, hidden: 48, padding: "some"},
	{words: 300, n: 70, steps: 30, dim: 33, hidden: 48, padding: "whole", p: .8},
	{words: 9, n: 1, steps: 1, dim: 3, hidden: 2, padding: "none"},
	{words: 9, n: 4, steps: 5, dim: 3, hidden: 2, padding: "some", p: 1},
}

// Values and gradients equal libtorch's embedding, dropout and LSTM in float64, within 1e-10, and 1e-5 for float32.
// Without gradients only two steps are stored, with the same result to the bit.
func TestEmbeddingLSTMEqualsComposed(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, c := range remembering {
		params, index := c.operands()
		for dtype, tolerance := range map[torch.DType]float64{torch.Float64: 1e-10, torch.Float32: 1e-5} {
			as, tolerance := referenceDType(dtype, tolerance)
			want := withGradients(c.composed, params, index, as)
			for _, ids := range []tensor{index, index.ToDType(torch.Int32)} {
				got := withGradients(c.fused, params, ids, dtype)
				if dtype == torch.Float64 {
					torchtest.Close(t, fmt.Sprintf("%+v", c), c.fused(params, ids), torch.Slice[float64](got[5]), 0)
				}
				for i, name := range []string{"table", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "output"} {
					scale := max(1, largest(want[i]))
					what := fmt.Sprintf("%+v %v %s", c, dtype, name)
					torchtest.Close(t, what, got[i], torch.Slice[float64](want[i]), tolerance*scale)
				}
			}
		}
	}
}

// Under Autocast the factors of products are in bfloat16 and all else in float32: values and gradients are within 2 %
// of float64, or, if rounding grows along the steps, within twice the distance of libtorch's embedding, dropout and
// LSTM under Autocast, and on average nearer.
func TestEmbeddingLSTMInBFloat16(t *testing.T) {
	torchtest.OnCPU(t)
	torchtest.Open(t)
	if err := torch.CheckPrecision(torch.CPU, torch.BFloat16); err != nil {
		t.Skip(err)
	}
	defer torchtest.Scoped(t)()
	low := func(f func([]tensor, tensor) tensor) func([]tensor, tensor) tensor {
		return func(p []tensor, index tensor) (y tensor) {
			torch.Autocast(torch.CPU, torch.BFloat16, func() { y = f(p, index) })
			return y.ToDType(torch.Float32)
		}
	}
	for _, c := range []remembered{
		{words: 300, n: 70, steps: 30, dim: 33, hidden: 48, padding: "none"},
		{words: 300, n: 70, steps: 30, dim: 33, hidden: 48, padding: "some"},
		{words: 300, n: 70, steps: 30, dim: 33, hidden: 45, padding: "whole", p: .5},
		{words: 300, n: 7, steps: 30, dim: 34, hidden: 70, padding: "words", p: .5},
	} {
		params, index := c.operands()
		names, masks := []string{"table", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "output"}, 1
		if c.p > 0 {
			masks = 8
		}
		ratios := 0.0
		for range masks {
			c.mask++
			want := withGradients(c.composed, params, index, torch.Float64)
			fused := withGradients(low(c.fused), params, index, torch.Float32)
			composed := withGradients(low(c.composed), params, index, torch.Float32)
			for i, name := range names {
				away := func(got tensor) float64 {
					apart := got.ToDType(torch.Float64).Sub(want[i])
					return math.Sqrt(apart.Square().Sum().Item() / want[i].Square().Sum().Item())
				}
				ours, theirs := away(fused[i]), away(composed[i])
				if ratios += ours / theirs; ours > max(.02, 2*theirs) {
					t.Errorf("%+v %s: %.2g away from float64, libtorch's %.2g", c, name, ours, theirs)
				}
			}
		}
		if mean := ratios / float64(masks*len(names)); mean > 1.01 {
			t.Errorf("%+v: %.2f times as far from float64 as libtorch's", c, mean)
		}
	}
}

func TestEmbeddingLSTMErrors(t *testing.T) {
	defer torchtest.Scoped(t)()
	c := remembered{words: 9, n: 2, steps: 4, dim: 3, hidden: 2, padding: "none"}
	p, index := c.operands()
	run := func(table, index tensor, params []tensor, p float64, g *torch.Generator) func() {
		return func() { torch.EmbeddingLSTM(table, index, params, p, g) }
	}
	g := torch.NewGenerator(1, device)
	var beyond, twice []func()
	if !torchtest.OnGPU() {
		for _, by := range []float64{9, -9} {
			beyond = append(beyond, run(p[0], index.AddScalar(by), p[1:], 0, nil))
		}
		twice = []func(){func() { // cuDNN reports it at the second derivative
			weight := p[2].Clone().SetRequiresGrad(true)
			torch.Grad(c.fused([]tensor{p[0], p[1], weight, p[3], p[4]}, index).Sum(), []tensor{weight}, true)
		}}
	}
	for kind, calls := range map[torch.Kind][]func(){
		torch.Index: beyond,
		torch.Value: {
			run(p[0], index, p[1:], 1.5, g),
			run(p[0], index, p[1:], .5, nil),
			run(p[0], index, p[2:], 0, nil),
		},
		torch.NotImplemented: twice,
		torch.Shape: {
			run(p[0], index, []tensor{p[2], p[2], p[3], p[4]}, 0, nil),
			run(p[0], index.Select(0, 0), p[1:], 0, nil),
		},
	} {
		for _, call := range calls {
			if e := torchtest.Raises(t, kind, call); e.Op != "embedding_lstm" && e.Op != "grad" {
				t.Errorf("operation %s: %v", e.Op, e)
			}
		}
	}
}
