package torch_test

import (
	"math"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Operands that do not fit the operations of ops_layers_test.go, and the kind of
// error that says so.
func TestLayerOpsRefuseOperands(t *testing.T) {
	torchtest.NoLeak(t, func() {
		a := torch.Ones(f32, 2, 3)
		image := torch.Ones(f32, 1, 2, 4, 4)
		kernel := torch.Ones(f32, 2, 3, 3, 3)
		whole := torchtest.FromSlice([]int64{0, 1})
		mask := torch.Ones(torch.Options{DType: torch.Bool, Device: device}, 2, 3)
		wide := torch.Ones(torch.Options{DType: torch.Float64, Device: device}, 2, 3)
		heads := torch.Ones(f32, 1, 2, 5, 4)
		attend := func(q, k, v tensor, o torch.AttentionOptions) func() { return func() { torch.Attention(q, k, v, o) } }
		none := tensor{}
		both := [2]int{1, 1}
		g := torch.NewGenerator(1, device)
		step := torch.RMSprop{LearningRate: 1, Alpha: .9, Epsilon: 1e-8}
		moved := torch.Ones(f32, 2, 3).SetRequiresGrad(true)
		moved.SetGrad(a)
		for _, c := range []struct {
			name string
			kind torch.Kind
			f    func()
		}{
			{"gelu", torch.DTypeMismatch, func() { whole.GELU() }},
			{"gelu", torch.DTypeMismatch, func() { whole.GELUTanh() }},
			{"silu", torch.DTypeMismatch, func() { whole.SiLU() }},
			{"leaky_relu", torch.DTypeMismatch, func() { whole.LeakyReLU(.1) }},
			{"layer_norm", torch.Shape, func() { a.LayerNorm([]int{2}, none, none, 1e-5) }},
			{"layer_norm", torch.Shape, func() { a.LayerNorm([]int{3}, a, none, 1e-5) }},
			{"layer_norm", torch.Shape, func() { a.LayerNorm(nil, none, none, 1e-5) }},
			{"group_norm", torch.Value, func() { image.GroupNorm(0, none, none, 1e-5) }},
			{"group_norm", torch.Shape, func() { image.GroupNorm(3, none, none, 1e-5) }},
			{"group_norm", torch.Shape, func() { image.GroupNorm(2, a, none, 1e-5) }},
			{"attention", torch.Shape, attend(heads, heads.Narrow(3, 0, 3), heads, torch.AttentionOptions{})},
			{"attention", torch.Shape, attend(heads, heads, heads.Narrow(2, 0, 3), torch.AttentionOptions{})},
			{"attention", torch.Shape, attend(heads, heads.Select(0, 0), heads, torch.AttentionOptions{})},
			{"attention", torch.Shape, attend(a.Select(0, 0), a, a, torch.AttentionOptions{})},
			{"attention", torch.Shape, attend(heads, heads, heads, torch.AttentionOptions{Mask: mask})},
			{"attention", torch.Shape, attend(heads, heads, heads, torch.AttentionOptions{Mask: mask, Dropout: .5, Rand: g})},
			{"attention", torch.DTypeMismatch, attend(heads, heads, heads, torch.AttentionOptions{Mask: torch.Ones(torch.Options{DType: torch.Int64, Device: device}, 5, 5)})},
			{"attention", torch.DTypeMismatch, attend(wide, a, a, torch.AttentionOptions{})},
			{"attention", torch.Value, attend(a, a, a, torch.AttentionOptions{Dropout: .5})},
			{"attention", torch.Value, attend(a, a, a, torch.AttentionOptions{Dropout: 1.5, Rand: g})},
			{"attention", torch.Value, attend(a, a, a, torch.AttentionOptions{Mask: torch.Ones(f32, 2, 2), Causal: true})},
			{"conv1d", torch.Shape, func() { a.Conv1d(torch.Ones(f32, 1, 4, 2), none, torch.Window{}) }},
			{"conv1d", torch.Value, func() { a.Conv1d(torch.Ones(f32, 1, 2, 2), none, torch.Window{StrideHW: both}) }},
			{"conv2d", torch.Value, func() { image.Conv2d(kernel, none, torch.Window{Stride: 2, StrideHW: both}) }},
			{"conv_transpose2d", torch.Shape, func() { a.ConvTranspose2d(kernel, none, torch.Window{}) }},
			{"conv_transpose2d", torch.Shape, func() { image.ConvTranspose2d(kernel.Narrow(1, 0, 0), none, torch.Window{}) }},
			{"chunk", torch.Value, func() { torch.Zeros(f32, 0).Chunk(1<<40, 0) }},
			{"conv_transpose2d", torch.Shape, func() { heads.ConvTranspose2d(kernel.Narrow(0, 0, 1), none, torch.Window{}) }},
			{"conv_transpose2d", torch.Value, func() { image.ConvTranspose2d(kernel, none, torch.Window{OutputPadding: 1, OutputPaddingHW: both}) }},
			{"conv_transpose2d", torch.Value, func() { image.ConvTranspose2d(kernel, none, torch.Window{DilationHW: [2]int{0, 1}}) }},
			{"conv_transpose2d", torch.Shape, func() { image.ConvTranspose2d(kernel, none, torch.Window{PaddingHW: [2]int{0, 4}}) }},
			{"max_pool2d", torch.Value, func() { image.MaxPool2d(0, torch.Window{}) }},
			{"max_pool2d", torch.Value, func() { image.MaxPool2d(2, torch.Window{KernelHW: both}) }},
			{"avg_pool2d", torch.Value, func() { image.AvgPool2d(2, torch.Window{Padding: 1, PaddingHW: both}) }},
			{"upsample2d", torch.Value, func() { image.Upsample(torch.UpsampleOptions{}) }},
			{"upsample2d", torch.Value, func() { image.Upsample(torch.UpsampleOptions{Factor: 2, Height: 3, Width: 3}) }},
			{"upsample2d", torch.Value, func() { image.Upsample(torch.UpsampleOptions{Factor: 2, AlignCorners: true}) }},
			{"upsample2d", torch.Value, func() { image.Upsample(torch.UpsampleOptions{Factor: math.NaN()}) }},
			{"upsample2d", torch.Value, func() { image.Upsample(torch.UpsampleOptions{Factor: -1}) }},
			{"upsample2d", torch.Value, func() { image.Upsample(torch.UpsampleOptions{Factor: 2, Mode: 2}) }},
			{"upsample2d", torch.Shape, func() { image.Upsample(torch.UpsampleOptions{Height: 3}) }},
			{"upsample2d", torch.Shape, func() { a.Upsample(torch.UpsampleOptions{Factor: 2}) }},
			{"split", torch.Value, func() { a.Split(0, 0) }},
			{"size", torch.Index, func() { a.Split(1, 2) }},
			{"split", torch.Shape, func() { a.SplitSizes(1, 1, 1) }},
			{"split", torch.Shape, func() { a.SplitSizes(1, 4, -1) }},
			{"chunk", torch.Value, func() { a.Chunk(0, 0) }},
			{"size", torch.Index, func() { a.Unbind(2) }},
			{"repeat", torch.Shape, func() { a.Repeat(2) }},
			{"repeat", torch.Shape, func() { a.Repeat(2, -1) }},
			{"einsum", torch.Shape, func() { torch.Einsum("ij,ij->ij", a, a.T()) }},
			{"einsum", torch.Shape, func() { torch.Einsum("ijk->i", a) }},
			{"einsum", torch.Value, func() { torch.Einsum("i$->i", a) }},
			{"einsum", torch.Value, func() { torch.Einsum("ij") }},
			{"cross_entropy", torch.Shape, func() { a.CrossEntropyWith(whole, torch.CrossEntropyOptions{Weight: a.Select(1, 0)}) }},
			{"rmsprop_step", torch.Shape, func() { step.Step([]tensor{moved}, nil, nil, nil) }},
			{"rmsprop_step", torch.Shape, func() { step.Step([]tensor{moved}, []tensor{a}, []tensor{a, a}, nil) }},
			{"rmsprop_step", torch.Shape, func() { step.Step([]tensor{moved}, []tensor{a.T()}, nil, nil) }},
			{"rmsprop_step", torch.DTypeMismatch, func() { step.Step([]tensor{moved}, []tensor{a}, nil, []tensor{wide}) }},
			{"lerp_", torch.Shape, func() { torch.Lerp([]tensor{a}, nil, .5) }},
			{"lerp_", torch.Shape, func() { torch.Lerp([]tensor{a}, []tensor{a.T()}, .5) }},
			{"lerp_", torch.DTypeMismatch, func() { torch.Lerp([]tensor{a}, []tensor{wide}, .5) }},
		} {
			e := torch.Try(func() error { c.f(); return nil })
			switch {
			case !torch.IsKind(e, c.kind):
				t.Errorf("%s: got %v, want an error of kind %v", c.name, e, c.kind)
			case !strings.HasPrefix(e.Error(), "torch: "+c.name):
				t.Errorf("%v does not begin with its operation, %s", e, c.name)
			}
		}
	})
}

// Sizes of zero are answered, not followed by a division.
func TestLayerOpsOfNothing(t *testing.T) {
	torchtest.NoLeak(t, func() {
		empty := torch.Ones(f32, 0, 4, 3)
		for name, y := range map[string]tensor{
			"layer_norm": empty.LayerNorm([]int{3}, tensor{}, tensor{}, 1e-5),
			"group_norm": empty.GroupNorm(2, tensor{}, tensor{}, 1e-5),
			"attention":  torch.Attention(empty, empty, empty, torch.AttentionOptions{}),
			"chunk":      empty.Chunk(2, 0)[1],
			"split":      empty.Split(2, 0)[0],
			"repeat":     empty.Repeat(1, 1, 1),
		} {
			if got := y.Shape(); len(got) != 3 || got[0] != 0 || got[1] != 4 || got[2] != 3 {
				t.Errorf("%s of nothing has shape %v", name, got)
			}
		}
		if parts := empty.Unbind(0); len(parts) != 0 {
			t.Errorf("unbinding nothing gives %d parts", len(parts))
		}
		// No channels, which libtorch refuses from 2.15 on, and no keys.
		none := torch.Ones(f32, 2, 0, 3)
		if err := torch.Try(func() error { none.GroupNorm(2, tensor{}, tensor{}, 1e-5); return nil }); err != nil && !strings.Contains(err.Error(), "channels to be greater than 0") {
			t.Errorf("group norm of no channels: %v", err)
		}
		noKeys := torch.Ones(f32, 1, 0, 3)
		query := torch.Ones(f32, 1, 2, 3)
		torchtest.Close(t, "attention to no keys", torch.Attention(query, noKeys, noKeys, torch.AttentionOptions{}), make([]float64, 6), 0)
	})
}

// A mask of one dimension says for all queries which keys there are.
func TestAttentionMaskOverKeys(t *testing.T) {
	torchtest.NoLeak(t, func() {
		keys := torchtest.FromSlice([]float32{1, 2}, 1, 2, 1)
		o := torch.AttentionOptions{Mask: torchtest.FromSlice([]bool{false, true})}
		torchtest.Close(t, "the second key alone", torch.Attention(keys, keys, keys, o), []float64{2, 2}, 0)
	})
}

// Dropout of attention: the weights that are left are scaled, the same stream draws
// the same, and without a probability it is libtorch's own attention. 1e-12.
func TestAttentionDropout(t *testing.T) {
	torchtest.NoLeak(t, func() {
		g := torch.NewGenerator(3, device)
		q, k := g.Normal(0, 1, f64, 2, 7, 4), g.Normal(0, 1, f64, 2, 7, 4)
		weights := torch.Attention(q, k, torch.Eye(7, f64).Expand(2, 7, 7), torch.AttentionOptions{Causal: true})
		for name, o := range map[string]torch.AttentionOptions{
			"causal": {Causal: true},
			"masked": {Mask: torch.Ones(torch.Options{DType: torch.Bool, Device: device}, 7, 7).Tril(0)},
			"biased": {Mask: torch.Full(-1e9, f64, 7, 7).Triu(1)},
		} {
			o.Dropout, o.Rand = .5, g
			state := g.State()
			kept := torch.Attention(q, k, torch.Eye(7, f64).Expand(2, 7, 7), o)
			g.Restore(state)
			want := weights.Dropout(.5, g)
			torchtest.Close(t, name, kept, torch.Slice[float64](want), 1e-12)
			dropped := kept.EqScalar(0).LogicalAnd(weights.GtScalar(0)).Sum().Item()
			if dropped < 10 || dropped > 46 { // of 56 weights
				t.Errorf("%s: %v of 56 weights are dropped", name, dropped)
			}
			torchtest.GradCheck(t, name, func(x tensor) tensor {
				g.Restore(state)
				y := torch.Attention(x, k, q, o)
				return y.Mul(torch.Linspace(-1, 1.5, y.Numel(), f64).Reshape(y.Shape()...)).Sum()
			}, q)
		}
	})
}
