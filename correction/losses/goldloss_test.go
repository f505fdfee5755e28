package losses_test

import (
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The loss and its gradient are those of the paper's algorithm in PyTorch (torch 2.11.0,
// testdata/gold.py), and those of central differences.
func TestGoldEqualsAlgorithm(t *testing.T) {
	golden := readGolden[struct {
		Labels, Rows     []int64
		Trusted          []correction.Trusted
		Logits, Gradient []float64
		Loss             float64
	}](t, "gold")
	torchtest.NoLeak(t, func() {
		labels, rows := torch.FromSlice(golden.Labels), torch.FromSlice(golden.Rows)
		for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-12} {
			loss, err := losses.NewGold(goldenT(t, 4), losses.Options{Rows: 10, Trusted: golden.Trusted, Options: torch.Options{DType: dtype}})
			if err != nil {
				t.Fatal(err)
			}
			train := func(z torch.Tensor) torch.Tensor {
				return loss.(losses.Trainer).Train(losses.Batch{
					X: z, Labels: labels, Rows: rows, Forward: func(x torch.Tensor) torch.Tensor { return x },
				})
			}
			z := torch.FromSlice(golden.Logits, 8, 4).ToDType(dtype).SetRequiresGrad(true)
			got := train(z)
			torchtest.Close(t, "loss", got.ToDType(torch.Float64), []float64{golden.Loss}, tolerance)
			torchtest.Close(t, "gradient", torch.Grad(got, []torch.Tensor{z}, false)[0].ToDType(torch.Float64), golden.Gradient, tolerance)
			noisy := losses.NewForward(goldenT(t, 4), losses.Options{Options: torch.Options{DType: dtype}})
			torchtest.Close(t, "in validation", loss.Apply(z, labels).ToDType(torch.Float64), []float64{noisy.Apply(z, labels).Item()}, 1e-7)
			if dtype == torch.Float64 {
				torchtest.GradCheck(t, "gold", train, z)
			}
		}
	})
}

// Only what the loss keeps outlives its making: T's columns, those with the true labels', and the known labels.
func TestGoldLeavesNoTemporaries(t *testing.T) {
	torchtest.NoLeak(t, func() {
		before := torch.Live()
		o := losses.Options{Rows: 10, Trusted: []correction.Trusted{{Index: 3, Label: 1}}}
		if _, err := losses.NewGold(goldenT(t, 4), o); err != nil {
			t.Fatal(err)
		}
		if n := torch.Live() - before; n != 3 {
			t.Errorf("%d tensors are left, want 3", n)
		}
	})
}

// Without a known label there is nothing to train on, which is an error.
func TestGoldNeedsKnownLabels(t *testing.T) {
	torchtest.NoLeak(t, func() {
		if _, err := losses.NewGold(goldenT(t, 4), losses.Options{Rows: 10}); err == nil {
			t.Error("no error without known labels")
		}
	})
}
