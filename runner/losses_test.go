package runner

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every name makes the loss of that name, and what this package says of a
// loss, without making it, is so.
func TestEveryLossIsMade(t *testing.T) {
	torchtest.NoLeak(t, func() {
		classes := []string{"a", "b", "c"}
		used, err := correction.Symmetric(classes, .3)
		if err != nil {
			t.Fatal(err)
		}
		z, y := torch.FromSlice([]float32{30, 1, -30, 0, 5, 2}, 2, 3), torch.FromSlice([]int64{2, 1})
		newLoss := func(c Config) correction.Loss {
			e := &execution{Job: &Job{Config: c}, source: &source{classes: classes}, used: used}
			loss, err := e.newLoss()
			if err != nil {
				t.Fatal(err)
			}
			return loss
		}
		for _, name := range Losses {
			loss := newLoss(Config{Loss: name})
			if got := loss.Name(); got != strings.TrimSuffix(name, "-estimated") {
				t.Errorf("%s makes the loss %s", name, got)
			}
			if got := (Config{Loss: name}).endsInNorm(); got != correction.NeedsBatchNorm(loss) {
				t.Errorf("%s: ends in batch normalisation: %v, the loss says %v", name, got, !got)
			}
			clipped := newLoss(Config{Loss: name, Clip: .1}).Apply(z, y).Item()
			if reads := clipped != loss.Apply(z, y).Item(); reads != Clips(name) {
				t.Errorf("%s reads clip: %v, Clips says %v", name, reads, !reads)
			}
		}
	})
}

// 100 examples without the 10 held out make a batch of 89 and one of a single
// example, which has no variance.
func TestNormRefusesABatchOfOne(t *testing.T) {
	c := Config{Dataset: "mnist", Batch: 89, Validation: Holdout{Share: .1}, Loss: Sigmoid}
	if err := fits(c, 100); err == nil || !strings.Contains(err.Error(), "batch: 89 leaves a last batch of one example") {
		t.Errorf("error is %v", err)
	}
	c.Loss = Savage
	if err := fits(c, 100); err != nil {
		t.Errorf("savage: %v", err)
	}
}
