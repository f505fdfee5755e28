package report

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/results/paper"
)

// A panel takes the losses and levels of the paper's figures from a table, and
// prefers full runs to quick ones.
func TestNewSweep(t *testing.T) {
	mnist := paper.Blocks()[0]
	results := reporttest.Block() // no noise and asymmetric .6
	results = append(results, reporttest.Result("savage", "asymmetric", .6, 1, 51, 51),
		reporttest.Result("forward", "symmetric", .2, 1, 97, 97),
		reporttest.Result("forward", "asymmetric", .3, 1, 97.5, 97.5))
	for _, level := range []float64{0, .1, .2, .3, .4, .5, .6} {
		for _, loss := range SweepLosses() {
			quick := reporttest.Result(loss, "asymmetric", level, 1, 40, 40)
			quick.Config.Quick, quick.Config.Epochs = true, 3
			results = append(results, quick)
		}
	}
	s := NewSweep(mnist, blocksOf(FromResults(results...)))
	if s == nil || s.Title != "(a) MNIST" || s.Aside != "" {
		t.Fatalf("panel %+v", s)
	}
	var lines []string
	for _, line := range s.Lines {
		lines = append(lines, line.Loss)
	}
	expect.Same(t, []string{losses.FirstLoss, "forward", "forward-estimated"}, lines, "losses")
	want := []SweepPoint{
		{0, Sample{N: 3, Mean: 97.9, Std: .1}}, {.3, Sample{N: 1, Mean: 97.5}}, {.6, Sample{N: 3, Mean: 97.3, Std: .1}},
	}
	expect.Same(t, want, s.Lines[1].Points, "points", cmpopts.EquateApprox(0, 1e-9))
	// Quick runs replace the block if there are no others, first those on all data, then those on a part. Runs in other
	// settings never replace it, however many there are.
	onlyQuick := slices.DeleteFunc(results, func(r store.Result) bool { return !r.Config.Quick })
	part, other := slices.Clone(onlyQuick), slices.Clone(onlyQuick)
	for k := range part {
		part[k].Config.Examples.Train, part[k].Selected.TestAccuracy = 1000, 30
		other[k].Config.Quick, other[k].Config.Epochs, other[k].Config.BatchSize = false, 40, 64
	}
	for name, test := range map[string]struct {
		results []store.Result
		aside   string
		first   float64
	}{
		"quick runs":              {onlyQuick, "quick: 3 epochs in place of 40", 40},
		"quick runs of two kinds": {slices.Concat(part, onlyQuick), "quick: 3 epochs in place of 40", 40},
		"the block and others":    {slices.Concat(reporttest.Block(), other), "", 97.9},
		"others alone":            {other, "batch_size 64", 40},
	} {
		s := NewSweep(mnist, blocksOf(FromResults(test.results...)))
		if s == nil || s.Aside != test.aside || math.Abs(s.Lines[0].Points[0].Mean-test.first) > 1e-9 {
			t.Errorf("%s: panel %+v, want %q, %v", name, s, test.aside, test.first)
		}
	}
	one := blocksOf(FromResults(reporttest.Result("forward", "asymmetric", .6, 1, 97, 97)))
	if NewSweep(mnist, one) != nil || NewSweep(paper.Blocks()[1], blocksOf(FromResults(results...))) != nil {
		t.Error("a panel of one level or without runs")
	}
}
