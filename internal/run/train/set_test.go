package train

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Examples are compressed if that pays, and keep their values.
func TestCompressed(t *testing.T) {
	for name, c := range map[string]struct {
		rows, columns int
		share         float64 // of elements that are not zero
		dtype         torch.DType
		want          bool
	}{
		"images of digits": {200, 784, .19, torch.Float32, true},
		"all zeros":        {3, 256, 0, torch.Float32, true},
		"dense":            {200, 784, .3, torch.Float32, false},
		"narrow":           {200, 255, .1, torch.Float32, false},
		"bytes":            {200, 784, .1, torch.Uint8, false},
		"numbers":          {200, 784, .1, torch.Float64, false},
		"nothing":          {0, 784, .1, torch.Float32, false},
	} {
		t.Run(name, func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				rng := rand.New(rand.NewPCG(1, 0))
				values := make([]float64, c.rows*c.columns)
				for i := range values {
					if rng.Float64() < c.share {
						values[i] = float64(1 + rng.IntN(9))
					}
				}
				given := torch.FromSlice(values, c.rows, c.columns).ToDType(c.dtype)
				before := torch.Live()
				x := Compressed(given)
				if x.IsSparse() != c.want || torch.Live() != before {
					t.Errorf("compressed: %v; %d tensors instead of one", x.IsSparse(), torch.Live()-before+1)
				}
				torchtest.Close(t, name, x, values, 0)
			})
		})
	}
	torchtest.NoLeak(t, func() {
		if Compressed(torch.Zeros(torch.Options{}, 2, 1, 28, 28)).IsSparse() {
			t.Error("images with channels are compressed")
		}
	})
}
