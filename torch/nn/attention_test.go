package nn_test

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Steps that the mask hides have no part: the rest is as without them, 1e-12.
func TestAttentionMask(t *testing.T) {
	torchtest.NoLeak(t, func() {
		layer := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 4, Heads: 2}, float64Init(""))
		x := torch.NewGenerator(1, device).Normal(0, 1, torch.Options{DType: torch.Float64, Device: device}, 2, 3, 4)
		mask := torchtest.FromSlice([]bool{true, true, false}, 1, 1, 1, 3)
		masked := layer.Attend(x, mask, nn.Eval).Narrow(1, 0, 2)
		torchtest.Close(t, "masked", masked, torch.Slice[float64](layer.Forward(x.Narrow(1, 0, 2), nn.Eval)), 1e-12)
		torchtest.Raises(t, torch.Shape, func() { layer.Forward(x.Narrow(2, 0, 3), nn.Eval) })
	})
}

func TestAttentionParameters(t *testing.T) {
	torchtest.NoLeak(t, func() {
		layer := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 4, Heads: 2}, float64Init(""))
		want := []string{"query.weight", "query.bias", "key.weight", "key.bias", "value.weight", "value.bias", "out.weight", "out.bias"}
		if got := names(layer.Parameters()); !slices.Equal(got, want) {
			t.Errorf("names %q, want %q", got, want)
		}
	})
}
