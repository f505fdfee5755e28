package torch_test

import (
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
		whole := torchtest.FromSlice([]int64{0, 1})
		mask := torch.Ones(torch.Options{DType: torch.Bool, Device: device}, 2, 3)
		wide := torch.Ones(torch.Options{DType: torch.Float64, Device: device}, 2, 3)
		heads := torch.Ones(f32, 1, 2, 5, 4)
		attend := func(q, k, v tensor, mask tensor) func() { return func() { torch.Attention(q, k, v, mask) } }
		none := tensor{}
		for _, c := range []struct {
			name string
			kind torch.Kind
			f    func()
		}{
			{"gelu", torch.DTypeMismatch, func() { whole.GELU() }},
			{"layer_norm", torch.Shape, func() { a.LayerNorm([]int{2}, none, none, 1e-5) }},
			{"layer_norm", torch.Shape, func() { a.LayerNorm([]int{3}, a, none, 1e-5) }},
			{"layer_norm", torch.Shape, func() { a.LayerNorm(nil, none, none, 1e-5) }},
			{"attention", torch.Shape, attend(heads, heads.Narrow(3, 0, 3), heads, tensor{})},
			{"attention", torch.Shape, attend(heads, heads, heads.Narrow(2, 0, 3), tensor{})},
			{"attention", torch.Shape, attend(heads, heads.Select(0, 0), heads, tensor{})},
			{"attention", torch.Shape, attend(a.Select(0, 0), a, a, tensor{})},
			{"attention", torch.Shape, attend(heads, heads, heads, mask)},
			{"attention", torch.DTypeMismatch, attend(heads, heads, heads, torch.Ones(torch.Options{DType: torch.Int64, Device: device}, 5, 5))},
			{"attention", torch.DTypeMismatch, attend(wide, a, a, tensor{})},
			{"max_pool2d", torch.Value, func() { image.MaxPool2d(0, torch.Window{}) }},
			{"upsample_bilinear2d", torch.Shape, func() { image.UpsampleBilinear(3, 0) }},
			{"upsample_bilinear2d", torch.Shape, func() { a.UpsampleBilinear(2, 2) }},
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
			"attention":  torch.Attention(empty, empty, empty, tensor{}),
		} {
			if got := y.Shape(); len(got) != 3 || got[0] != 0 || got[1] != 4 || got[2] != 3 {
				t.Errorf("%s of nothing has shape %v", name, got)
			}
		}
		noKeys := torch.Ones(f32, 1, 0, 3)
		query := torch.Ones(f32, 1, 2, 3)
		torchtest.Close(t, "attention to no keys", torch.Attention(query, noKeys, noKeys, tensor{}), make([]float64, 6), 0)
	})
}

// A mask of one dimension says for all queries which keys there are.
func TestAttentionMaskOverKeys(t *testing.T) {
	torchtest.NoLeak(t, func() {
		keys := torchtest.FromSlice([]float32{1, 2}, 1, 2, 1)
		torchtest.Close(t, "the second key alone", torch.Attention(keys, keys, keys, torchtest.FromSlice([]bool{false, true})), []float64{2, 2}, 0)
	})
}
