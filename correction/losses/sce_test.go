package losses_test

import (
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestSCEEqualsFormula(t *testing.T) { checkGolden(t, "sce", losses.NewSCE) }

// Both weights and A are read: the loss of one example with p = 1/2, where cross-entropy is
// log 2 and the reverse 4/2, or -A/2.
func TestSCESettings(t *testing.T) {
	torchtest.NoLeak(t, func() {
		o := double
		o.Settings = losses.Settings{Alpha: 3, Beta: 5}
		got := losses.NewSCE(2, o).Apply(torch.Zeros(double.Options, 1, 2), torch.FromSlice([]int64{0}))
		torchtest.Close(t, "alpha 3, beta 5", got, []float64{3*0.6931471805599453 + 5*2}, 1e-12)
		o.Settings.LogZero = -9
		got = losses.NewSCE(2, o).Apply(torch.Zeros(double.Options, 1, 2), torch.FromSlice([]int64{0}))
		torchtest.Close(t, "A -9", got, []float64{3*0.6931471805599453 + 5*4.5}, 1e-12)
	})
}
