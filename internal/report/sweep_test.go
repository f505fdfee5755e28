package report

import (
	"math"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/results/paper"

	"github.com/losscorr/losscorr/internal/store"
)

// A panel takes the losses and levels of the paper's figures from a table, full
// runs before quick ones.
func TestNewSweep(t *testing.T) {
	mnist := paper.Blocks()[0]
	results := reporttest.Block() // no noise and asymmetric .6
	results = append(results, reporttest.Result("savage", "asymmetric", .6, 1, 51, 51), reporttest.Result("forward", "symmetric", .2, 1, 97, 97),
		reporttest.Result("forward", "asymmetric", .3, 1, 97.5, 97.5))
	for _, level := range []float64{0, .1, .2, .3, .4, .5, .6} {
		for _, loss := range SweepLosses() {
			quick := reporttest.Result(loss, "asymmetric", level, 1, 40, 40)
			quick.Config.Quick, quick.Config.Epochs = true, 3
			results = append(results, quick)
		}
	}
	s := NewSweep(mnist, Tables(FromResults(results...)))
	if s == nil || s.Title != "(a) MNIST" || s.Aside != "" {
		t.Fatalf("panel %+v", s)
	}
	var lines []string
	for _, line := range s.Lines {
		lines = append(lines, line.Loss)
	}
	if want := []string{losses.FirstLoss, "forward", "forward-estimated"}; !slices.Equal(lines, want) {
		t.Errorf("losses %q, want %q", lines, want)
	}
	forward := s.Lines[1].Points
	if len(forward) != 3 || forward[0].Level != 0 || forward[1].Level != .3 || forward[2].Level != .6 || math.Abs(forward[2].Mean-97.3) > 1e-9 || forward[2].N != 3 {
		t.Errorf("points %+v", forward)
	}
	if NewSweep(paper.Blocks()[1], Tables(FromResults(results...))) != nil {
		t.Error("a panel without runs")
	}
	onlyQuick := slices.DeleteFunc(results, func(r store.Result) bool { return !r.Config.Quick })
	if s := NewSweep(mnist, Tables(FromResults(onlyQuick...))); s == nil || s.Aside != "quick: 3 epochs in place of 40" {
		t.Errorf("panel %+v of quick runs", s)
	}
	part := slices.Clone(onlyQuick)
	for k := range part {
		part[k].Config.Examples.Train, part[k].Selected.TestAccuracy = 1000, 30
	}
	if s := NewSweep(mnist, Tables(FromResults(append(part, onlyQuick...)...))); s == nil || s.Lines[0].Points[0].Mean != 40 {
		t.Errorf("panel %+v, want that of all the data", s)
	}
	// Runs in other settings than the block's do not stand for it, however many they are.
	other := slices.Clone(onlyQuick)
	for k := range other {
		other[k].Config.Quick, other[k].Config.Epochs, other[k].Config.BatchSize = false, 40, 64
	}
	if s := NewSweep(mnist, Tables(FromResults(append(reporttest.Block(), other...)...))); s == nil || s.Aside != "" {
		t.Errorf("panel %+v, want that of the block", s)
	}
	if s := NewSweep(mnist, Tables(FromResults(other...))); s == nil || s.Aside != "batch_size 64" {
		t.Errorf("panel %+v does not say what differs", s)
	}
	if NewSweep(mnist, Tables(FromResults(reporttest.Result("forward", "asymmetric", .6, 1, 97, 97)))) != nil {
		t.Error("a panel of one level")
	}
}
