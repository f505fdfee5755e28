package losses_test

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every entry makes the loss of its name, and what it says of a loss is so.
func TestLossesAreAsTheirEntriesSay(t *testing.T) {
	torchtest.NoLeak(t, func() {
		noise, err := correction.Symmetric(names(3), .3)
		if err != nil {
			t.Fatal(err)
		}
		singular, err := correction.Symmetric(names(3), 2./3)
		if err != nil {
			t.Fatal(err)
		}
		z, y := torch.FromSlice([]float32{30, 1, -30, 0, 5, 2}, 2, 3), torch.FromSlice([]int64{2, 1})
		for _, e := range losses.All {
			value := func(of *correction.Matrix, o losses.Options) float64 {
				o.Rows, o.Trusted = 2, []correction.Trusted{{Index: 0, Label: 1}}
				o.Targets = []float32{.2, .1, .7, 0, .5, .5}
				loss, err := e.New(of, o)
				if err != nil {
					t.Fatalf("%s: %v", e.Name, err)
				}
				z := z
				if e.Networks == 2 {
					z = torch.Stack(0, z, z.Neg())
				}
				if trainer, ok := loss.(losses.Trainer); ok {
					loss = trained{trainer}
				}
				if got := loss.Name(); got != strings.TrimSuffix(e.Name, "-estimated") {
					t.Errorf("%s makes the loss %s", e.Name, got)
				}
				return loss.Apply(z, y).Item()
			}
			plain := value(noise, losses.Options{})
			if reads := plain != value(noise, losses.Options{Clip: .1}); reads != e.Clips {
				t.Errorf("%s reads Clip: %v, its entry says %v", e.Name, reads, e.Clips)
			}
			if _, err := e.New(singular, losses.Options{Rows: 1, Trusted: []correction.Trusted{{}}, Targets: []float32{1, 0, 0}}); (err != nil) != e.Inverts {
				t.Errorf("%s of a singular T: error %v, its entry says %v", e.Name, err, e.Inverts)
			}
			if _, err := e.New(noise, losses.Options{Rows: 1}); (err != nil) != (e.Trusted || e.Targets) {
				t.Errorf("%s without known labels or targets: error %v, its entry says %v and %v", e.Name, err, e.Trusted, e.Targets)
			}
			clean, err := correction.Identity(names(3))
			if err != nil {
				t.Fatal(err)
			}
			if uses := plain != value(clean, losses.Options{}); uses != (e.T != losses.NoT) {
				t.Errorf("%s uses T: %v, its entry says %v", e.Name, uses, e.T)
			}
			if e.About == "" || e.FormOf != "" && !losses.All.Has(e.FormOf) || e.T == losses.EstimatedT && e.FormOf == "" {
				t.Errorf("%s: about %q, a form of %q", e.Name, e.About, e.FormOf)
			}
		}
	})
}

// The estimator that stands beside another is in the table.
func TestEstimatorsStandBesideOthers(t *testing.T) {
	for _, e := range estimators.All {
		if !estimators.All.Has(e.Beside) || e.Beside == e.Name || e.About == "" {
			t.Errorf("%s stands beside %q", e.Name, e.Beside)
		}
	}
}
