package losses_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Losses and gradients by the weights of a linear network are those that PyTorch
// computed with soft labels (torch 2.11.0, testdata/mixup.py), and those of central
// differences.
func TestMixupEqualsFormula(t *testing.T) {
	golden := readGolden[struct {
		X, W          []float64
		Labels, Order []int64
		Cases         []struct {
			Weight, Loss float64
			Gradient     []float64
		}
	}](t, "mixup")
	if len(golden.Cases) != 4 {
		t.Fatalf("%d cases, want 4", len(golden.Cases))
	}
	torchtest.NoLeak(t, func() {
		for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-12} {
			loss := losses.NewMixup(3, losses.Options{Options: torch.Options{DType: dtype}})
			x := torch.FromSlice(golden.X, 5, 4).ToDType(dtype)
			for _, c := range golden.Cases {
				at := func(w torch.Tensor) torch.Tensor {
					return losses.Mixed(loss, losses.Batch{
						X: x, Labels: torch.FromSlice(golden.Labels),
						Forward: func(x torch.Tensor) torch.Tensor { return x.Linear(w, torch.Tensor{}) },
					}, c.Weight, golden.Order)
				}
				w := torch.FromSlice(golden.W, 3, 4).ToDType(dtype).SetRequiresGrad(true)
				got := at(w)
				torchtest.Close(t, "loss", got.ToDType(torch.Float64), []float64{c.Loss}, tolerance)
				torchtest.Close(t, "gradient", torch.Grad(got, []torch.Tensor{w}, false)[0].ToDType(torch.Float64), c.Gradient, tolerance)
				if dtype == torch.Float64 {
					torchtest.GradCheck(t, "mixup", at, w)
				}
			}
		}
	})
}

// A batch is mixed with a permutation of itself, by a weight with the variance of
// Beta(alpha, alpha), 1 / (4 (2 alpha + 1)); the same stream draws the same.
func TestMixupDraws(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const n, c, batches, alpha = 6, 3, 2000, 2.
		o := double
		o.Settings.Alpha = alpha
		loss := losses.NewMixup(c, o).(losses.Trainer)
		y := torch.FromSlice([]int64{0, 1, 2, 0, 1, 2})
		drawn := func(rng *rand.Rand) (x []float64) {
			torch.Scope(func() {
				loss.Train(losses.Batch{X: torch.Eye(n, double.Options), Labels: y, Rand: rng, Forward: func(mixed torch.Tensor) torch.Tensor {
					x = torch.Slice[float64](mixed)
					return torch.Zeros(double.Options, n, c)
				}})
			})
			return x
		}
		rng := rand.New(rand.NewPCG(91, 92))
		var sum, squares float64
		for range batches {
			x := drawn(rng)
			for i := range n {
				total, used := 0., 0
				for j := range n {
					total += x[j*n+i] // column i: what becomes of example i
					if x[j*n+i] != 0 {
						used++
					}
				}
				if math.Abs(total-1) > 1e-12 || used > 2 {
					t.Fatalf("example %d is used %v times in %d mixtures", i, total, used)
				}
			}
			weight := x[0]
			if second := x[n+1]; second != 1 && weight != 1 && weight != second {
				t.Fatalf("weights %v and %v in one batch", weight, second)
			}
			if weight != 1 { // mixed with another example
				sum, squares = sum+weight-.5, squares+(weight-.5)*(weight-.5)
			}
		}
		count := batches * float64(n-1) / n
		if mean, variance := sum/count, squares/count; math.Abs(mean) > .02 || math.Abs(variance-1/(4*(2*alpha+1))) > .005 {
			t.Errorf("the weights have mean %v and variance %v", .5+mean, variance)
		}
		if !slices.Equal(drawn(rand.New(rand.NewPCG(1, 1))), drawn(rand.New(rand.NewPCG(1, 1)))) {
			t.Error("the same stream draws other mixtures")
		}
	})
}

// Validation has cross-entropy.
func TestMixupInValidation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(93, 94))
		z, y := normal(rng, 2, 6, 3), labelsOf(rng, 6, 3)
		torchtest.Close(t, "in validation", losses.NewMixup(3, double).Apply(z, y), []float64{z.CrossEntropy(y).Item()}, 1e-12)
		mixed := trained{losses.NewMixup(3, double).(losses.Trainer)}
		torchtest.Raises(t, torch.Index, func() { mixed.Apply(torch.Zeros(double.Options, 2, 3), torch.FromSlice([]int64{0, 3})) })
	})
}
