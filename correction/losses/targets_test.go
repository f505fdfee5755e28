package losses

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Targets of few and of many classes are rows of the changed identity; those of many
// classes have no table.
func TestTargets(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, classes := range []int{3, tabledClasses, tabledClasses + 1} {
			for name, change := range map[string]func(torch.Tensor) torch.Tensor{
				"one-hot": nil, "signs": func(e torch.Tensor) torch.Tensor { return e.MulScalar(2).SubScalar(1) },
			} {
				o := torch.Options{DType: torch.Float64}
				before := torch.Live()
				made := newTargets(classes, o, change)
				if held := torch.Live() - before; held == 1 != (classes <= tabledClasses) {
					t.Errorf("%s of %d classes: %d tensors are held", name, classes, held)
				}
				want := torch.Eye(classes, o)
				if change != nil {
					want = change(want)
				}
				labels := torch.FromSlice([]int64{2, 0, int64(classes - 1), 2})
				torchtest.Close(t, name, made.of(labels), torch.Slice[float64](want.IndexSelect(0, labels)), 0)
			}
		}
	})
}

// Each loss of many classes is the same function as of few: classes that no logit reaches
// change cross-entropy and its kin by nothing.
func TestLossesOfManyClasses(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const few, many, none = 4, tabledClasses + 8, -1e4
		o := Options{Options: torch.Options{DType: torch.Float64}}
		logits := torch.Full(none, o.Options, 3, many)
		seen := []float64{1, -2, .5, .1, .3, .2, -1, 2, 0, .4, -.3, .8}
		small := torch.FromSlice(seen, 3, few)
		big := torch.Cat(1, small, logits.Narrow(1, few, many-few))
		labels := torch.FromSlice([]int64{1, 3, 0})
		for name, loss := range map[string]func(int, Options) Loss{
			"cross-entropy": NewCrossEntropy, "mae": NewMAE, "gce": NewGCE, "sce": NewSCE,
			"bootstrap-hard": NewBootstrapHard,
		} {
			want := slopes(small, labels, loss(few, o))
			got := slopes(big, labels, loss(many, o))
			var kept []float64
			for row := range 3 {
				kept = append(kept, got[row*many:row*many+few]...)
			}
			if !slices.EqualFunc(kept, want, func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }) {
				t.Errorf("%s: gradient %v, want %v", name, kept, want)
			}
		}
	})
}

// slopes is the gradient of a loss at logits.
func slopes(logits, labels torch.Tensor, loss Loss) []float64 {
	z := logits.Detach().SetRequiresGrad(true)
	loss.Apply(z, labels).Backward()
	return torch.Slice[float64](z.Grad())
}
