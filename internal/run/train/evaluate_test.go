package train

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Logits are computed as in evaluation, whatever the batch: batch normalization uses its running mean 0 and variance 1,
// not the batch's.
func TestLogitsAreOfEvaluation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		norm := nn.NewBatchNorm1d(nn.BatchNorm{Features: 2}, nn.Init{Rand: rand.New(rand.NewPCG(1, 0))})
		x := []float32{1, 2, 3, 5, 8, 13, 21, 34, 55, 89}
		index := torch.FromSlice([]int64{0, 1, 2, 3, 4})
		set := Set{X: torch.FromSlice(x, 5, 2), Y: torch.FromSlice(make([]int64, 5)), Index: index}
		for _, size := range []int{1, 3} {
			got, err := Logits(norm, set, size)
			if err != nil || len(got) != len(x) {
				t.Fatalf("batches of %d: %v, %v", size, got, err)
			}
			for k, want := range x {
				if d := got[k] - want; d > 1e-2 || d < -1e-2 {
					t.Errorf("batches of %d: output %d is %v, want %v", size, k, got[k], want)
				}
			}
		}
	})
}
