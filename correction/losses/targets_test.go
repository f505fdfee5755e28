package losses

import (
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
