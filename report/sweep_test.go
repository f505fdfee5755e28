package report

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/store"
)

// demoSweeps are six panels as the paper's figures might look.
func demoSweeps() []*Sweep {
	var panels []*Sweep
	for b, block := range paper.Blocks() {
		s := &Sweep{Title: SweepName(block)}
		top := 97 - 4*float64(b)
		for k, loss := range SweepLosses() {
			line := SweepLine{Loss: loss}
			for n := range 8 {
				level := .1 * float64(n)
				drop := []float64{60, 8, 40, 1, 45}[k] * math.Pow(level, 2.5)
				line.Points = append(line.Points, SweepPoint{level, Sample{N: 5, Mean: top - drop, Std: .1 + drop/10}})
			}
			s.Lines = append(s.Lines, line)
		}
		panels = append(panels, s)
	}
	return panels
}

// A panel takes the losses and levels of the paper's figures from a table, full
// runs before quick ones.
func TestNewSweep(t *testing.T) {
	mnist := paper.Blocks()[0]
	results := block() // no noise and asymmetric .6
	results = append(results, result("savage", "asymmetric", .6, 1, 51, 51), result("forward", "symmetric", .2, 1, 97, 97),
		result("forward", "asymmetric", .3, 1, 97.5, 97.5))
	for _, level := range []float64{0, .1, .2, .3, .4, .5, .6} {
		for _, loss := range SweepLosses() {
			quick := result(loss, "asymmetric", level, 1, 40, 40)
			quick.Config.Quick, quick.Config.Epochs = true, 3
			results = append(results, quick)
		}
	}
	s := NewSweep(mnist, Tables(results))
	if s == nil || s.Title != "(a) MNIST" || s.Aside != "" {
		t.Fatalf("panel %+v", s)
	}
	var losses []string
	for _, line := range s.Lines {
		losses = append(losses, line.Loss)
	}
	if want := []string{"cross-entropy", "forward", "forward-estimated"}; !slices.Equal(losses, want) {
		t.Errorf("losses %q, want %q", losses, want)
	}
	forward := s.Lines[1].Points
	if len(forward) != 3 || forward[0].Level != 0 || forward[1].Level != .3 || forward[2].Level != .6 || math.Abs(forward[2].Mean-97.3) > 1e-9 || forward[2].N != 3 {
		t.Errorf("points %+v", forward)
	}
	if NewSweep(paper.Blocks()[1], Tables(results)) != nil {
		t.Error("a panel without runs")
	}
	onlyQuick := slices.DeleteFunc(results, func(r store.Result) bool { return !r.Config.Quick })
	if s := NewSweep(mnist, Tables(onlyQuick)); s == nil || s.Aside != "quick: 3 epochs" {
		t.Errorf("panel %+v of quick runs", s)
	}
	part := slices.Clone(onlyQuick)
	for k := range part {
		part[k].Config.Examples.Train, part[k].Selected.TestAccuracy = 1000, 30
	}
	if s := NewSweep(mnist, Tables(append(part, onlyQuick...))); s == nil || s.Lines[0].Points[0].Mean != 40 {
		t.Errorf("panel %+v, want that of all the data", s)
	}
	if NewSweep(mnist, Tables([]store.Result{result("forward", "asymmetric", .6, 1, 97, 97)})) != nil {
		t.Error("a panel of one level")
	}
}

// One panel alone, of single runs, draws too.
func TestSweepsFigureOfFewPanels(t *testing.T) {
	one := &Sweep{Title: "one", Lines: []SweepLine{{Loss: "forward", Points: []SweepPoint{{0, Sample{N: 1, Mean: 99}}, {.6, Sample{N: 1, Mean: 98}}}}}}
	for n, panels := range [][]*Sweep{{one}, {one, one, one, one}} {
		paths, err := SweepsFigure(panels).Save(filepath.Join(t.TempDir(), "figure"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || info.Size() < 1000 {
				t.Errorf("case %d: %s: %v, %v", n, path, info, err)
			}
		}
	}
}
