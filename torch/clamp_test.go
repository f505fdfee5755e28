package torch_test

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// torch.clamp of Python keeps integers where both limits are integers, and returns float32 where
// one is a fraction (torch 2.11.0).
func TestClampOfIntegers(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := torchtest.FromSlice([]int64{-5, 0, 9})
		for _, c := range []struct {
			low, high float64
			dtype     torch.DType
			want      []float64
		}{
			{-1, 3, torch.Int64, []float64{-1, 0, 3}},
			{math.NaN(), 3, torch.Int64, []float64{-5, 0, 3}},
			{-.5, 3, torch.Float32, []float64{-.5, 0, 3}},
		} {
			got := x.Clamp(c.low, c.high)
			if got.DType() != c.dtype {
				t.Errorf("[%v, %v]: %v, want %v", c.low, c.high, got.DType(), c.dtype)
			}
			torchtest.Close(t, "values", got.ToDType(torch.Float64), c.want, 0)
		}
	})
}
