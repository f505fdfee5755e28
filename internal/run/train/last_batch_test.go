package train

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// A network with batch normalization skips a last batch of one example, which has no variance. A network without it,
// and longer last batches, train on all examples.
func TestLastBatchOfOne(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, tt := range []struct {
			norm        bool
			batch, want int // batches of 40 examples
		}{{true, 13, 3}, {false, 13, 4}, {true, 12, 4}, {true, 10, 4}, {true, 40, 1}} {
			r, _ := newRun(t, t.TempDir(), 4)
			r.Data.Batch, r.Data.Epochs = tt.batch, 1
			if tt.norm {
				norm := nn.NewBatchNorm1d(nn.BatchNorm{Features: 3}, nn.Init{Rand: rand.New(rand.NewPCG(1, 0))})
				r.Model = nn.NewSequential(nn.Named("network", r.Model), nn.Named("norm", norm))
				r.Optimizer = optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, r.Model.Parameters())
			}
			done := 0
			r.On.Batch = func(_, total int) {
				if done++; total != tt.want {
					t.Errorf("%+v: %d batches announced", tt, total)
				}
			}
			if _, err := r.Train(t.Context()); err != nil || done != tt.want {
				t.Errorf("%+v: %d batches, %v", tt, done, err)
			}
		}
	})
}
