package train

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// TestSoak trains the MNIST network for many steps and watches memory: the number of tensors must not change, and
// resident memory must stay level. The fast tests include a short run; make -f .ci/checks.mk soak does 100,000 steps.
func TestSoak(t *testing.T) {
	torchtest.Open(t)
	epochs := 20
	if os.Getenv("LOSSCORR_SOAK") != "" {
		epochs = 1000
	}
	const batches, batch, warm = 100, 128, 5
	torch.SetThreads(1)
	torchtest.NoLeak(t, func() {
		g := torch.NewGenerator(1, torch.CPU)
		n := batches * batch
		set := Set{
			X:     g.Bernoulli(.2, torch.Options{}, n, 784),
			Y:     g.Integers(0, 10, torch.Options{DType: torch.Int64}, n),
			Index: torch.Arange(0, float64(n), 1, torch.Options{DType: torch.Int64}),
		}
		small := Set{X: set.X, Y: set.Y, Index: set.Index.Narrow(0, 0, 1000)}
		model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0))})
		expect.OK(t, err)
		var live, kib []int
		run := Run{
			Network: Network{
				Model: model, Loss: losses.NewCrossEntropy(losses.Options{}),
				Optimizer: optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters()),
			},
			Data:   Data{Train: set, Validation: small, Test: small, Epochs: epochs, Batch: batch},
			Random: Random{Shuffle: rand.NewPCG(2, 0), Dropout: torch.NewGenerator(3, torch.CPU)},
			On: Events{Epoch: func(metrics.Epoch) error {
				live, kib = append(live, torch.Live()), append(kib, residentKiB(t))
				return nil
			}},
		}
		expect.Got(run.Train(t.Context()))(t)
		expect.Same(t, slices.Repeat(live[:1], epochs), live, "tensors alive after each epoch")
		first, last := kib[warm], kib[len(kib)-1]
		t.Logf("%d steps: %d tensors alive throughout, resident memory %.1f MiB after %d steps, %.1f MiB at the end",
			epochs*batches, live[0], float64(first)/1024, (warm+1)*batches, float64(last)/1024)
		if last-first > 20*1024 {
			t.Errorf("resident memory grew by %d KiB, more than 20 MiB", last-first)
		}
	})
}

func residentKiB(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("resident memory is read from /proc, which this system lacks")
	}
	var size, resident int // in pages
	expect.Got(fmt.Sscan(string(text), &size, &resident))(t)
	return resident * os.Getpagesize() / 1024
}
