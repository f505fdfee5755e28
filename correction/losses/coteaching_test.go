package losses_test

import (
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// cooperate is the loss of two networks with the logits z [2 N C].
func cooperate(loss losses.Loss, z, labels torch.Tensor, epoch int) torch.Tensor {
	return loss.(losses.Trainer).Train(losses.Batch{
		X: z, Labels: labels, Epoch: epoch, Forward: func(x torch.Tensor) torch.Tensor { return x },
	})
}

// Losses and gradients at several epochs are those of Algorithm 1 in PyTorch (torch
// 2.11.0, testdata/coteaching.py), and those of central differences.
func TestCoTeachingEqualsAlgorithm(t *testing.T) {
	golden := readGolden[struct {
		Shares, Logits []float64
		Rate           float64
		Labels         []int64
		Epochs         []struct {
			Epoch    int
			Loss     float64
			Gradient []float64
		}
	}](t, "co-teaching")
	if len(golden.Epochs) != 4 {
		t.Fatalf("%d epochs, want 4", len(golden.Epochs))
	}
	m, err := correction.NewMatrix(names(4), [][]float64{{.9, .1, 0, 0}, {0, .8, .2, 0}, {0, 0, .7, .3}, {.7, 0, 0, .3}})
	if err != nil {
		t.Fatal(err)
	}
	torchtest.NoLeak(t, func() {
		y := torch.FromSlice(golden.Labels)
		for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-12} {
			loss := losses.NewCoTeaching(m, losses.Options{Shares: golden.Shares, Options: torch.Options{DType: dtype}})
			for _, e := range golden.Epochs {
				z := torch.FromSlice(golden.Logits, 2, 10, 4).ToDType(dtype).SetRequiresGrad(true)
				got := cooperate(loss, z, y, e.Epoch)
				torchtest.Close(t, "loss", got.ToDType(torch.Float64), []float64{e.Loss}, tolerance)
				torchtest.Close(t, "gradient", torch.Grad(got, []torch.Tensor{z}, false)[0].ToDType(torch.Float64), e.Gradient, tolerance)
				if dtype == torch.Float64 {
					torchtest.GradCheck(t, "co-teaching", func(x torch.Tensor) torch.Tensor { return cooperate(loss, x, y, e.Epoch) }, z)
				}
			}
		}
	})
}

// Each network learns from the choice of the other one: where the second finds the first
// example likely alone, the gradient of the first lies on that example.
func TestCoTeachingExchanges(t *testing.T) {
	torchtest.NoLeak(t, func() {
		half, err := correction.Symmetric(names(2), .5)
		if err != nil {
			t.Fatal(err)
		}
		y := torch.FromSlice([]int64{0, 0})
		z := torch.FromSlice([]float64{0, 1, 1, 0 /* second network: */, 1, 0, 0, 1}, 2, 2, 2).SetRequiresGrad(true)
		g := torch.Slice[float64](torch.Grad(cooperate(losses.NewCoTeaching(half, double), z, y, 10), []torch.Tensor{z}, false)[0])
		for i, zero := range []bool{false, false, true, true, true, true, false, false} {
			if (g[i] == 0) != zero {
				t.Errorf("gradient %v", g)
			}
		}
		// One example is left of a batch of one; a pair is needed; validation is of one network.
		alone := torch.Zeros(double.Options, 2, 1, 2)
		torchtest.Close(t, "a batch of one", cooperate(losses.NewCoTeaching(half, double), alone, torch.FromSlice([]int64{1}), 10), []float64{2 * 0.6931471805599453}, 1e-12)
		torchtest.Raises(t, torch.Shape, func() { cooperate(losses.NewCoTeaching(half, double), z, torch.FromSlice([]int64{0, 1, 0}), 0) })
		torchtest.Raises(t, torch.Index, func() { cooperate(losses.NewCoTeaching(half, double), z, torch.FromSlice([]int64{0, 2}), 0) })
		one := z.Detach().Select(0, 0)
		torchtest.Close(t, "in validation", losses.NewCoTeaching(half, double).Apply(one, y), []float64{one.CrossEntropy(y).Item()}, 1e-12)
	})
}

// The share falls over as many epochs as the setting says.
func TestCoTeachingSettings(t *testing.T) {
	torchtest.NoLeak(t, func() {
		half, err := correction.Symmetric(names(2), .5)
		if err != nil {
			t.Fatal(err)
		}
		o := double
		o.Settings.Gradual = 4
		loss := losses.NewCoTeaching(half, o)
		y := torch.FromSlice([]int64{0, 0, 0, 0})
		for epoch, want := range map[int]int{0: 4, 1: 3, 2: 3, 3: 2, 4: 2, 9: 2} {
			z := torch.FromSlice([]float64{4, 0, 3, 0, 2, 0, 1, 0 /* second network: */, 4, 0, 3, 0, 2, 0, 1, 0}, 2, 4, 2).SetRequiresGrad(true)
			g := torch.Slice[float64](torch.Grad(cooperate(loss, z, y, epoch), []torch.Tensor{z}, false)[0])
			taken := 0
			for i := 0; i < 8; i += 2 {
				if g[i] != 0 {
					taken++
				}
			}
			if taken != want {
				t.Errorf("epoch %d: %d examples, want %d", epoch, taken, want)
			}
		}
	})
}
