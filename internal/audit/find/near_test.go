package find

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
)

// The labels of similar examples sharpen the posterior where they say something new, and the
// posterior says that it has them.
func TestAuditWithNeighbours(t *testing.T) {
	f, a, _ := hard(t)
	rng := rand.New(rand.NewPCG(9, 9))
	n := a.Data.Train.Len()
	for x := range n { // the networks know six of ten examples
		truth := a.Data.Train.Truth[x]
		a.Data.Train.Labels[x] = truth
		if rng.IntN(5) == 0 {
			a.Data.Train.Labels[x] = (truth + 1) % 3
		}
		row := []float32{.01, .01, .01}
		row[truth], row[(truth+1)%3] = .79, .2
		if rng.IntN(10) < 4 {
			row = []float32{.34, .33, .33}
		}
		copy(a.Probabilities[3*x:], row)
	}
	precision := func() float64 {
		s, err := a.Run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if near := strings.Contains(s.Posterior, "neighbours"); near != (a.near != nil) {
			t.Errorf("posterior %q", s.Posterior)
		}
		return s.Measured.AveragePrecision
	}
	before := precision()
	for x := range n {
		for k := 1; k <= 10; k++ {
			a.near = append(a.near, int32((x+3*k)%n)) // of the same class
		}
	}
	if after := precision(); after < before+.05 {
		t.Errorf("average precision %.3f, without neighbours %.3f", after, before)
	}
}

// Networks that are too weak to say a number rank by the labels of similar examples, too.
func TestWeakAuditWithNeighbours(t *testing.T) {
	const n, c = 2000, 5
	rng := rand.New(rand.NewPCG(33, 34))
	d := &dataset.Dataset{Classes: []string{"a", "b", "c", "d", "e"}}
	var p []float32
	for x := range n {
		truth := x % c
		label := truth
		if rng.IntN(4) == 0 {
			label = rng.IntN(c)
		}
		d.Train.Truth, d.Train.Labels = append(d.Train.Truth, truth), append(d.Train.Labels, label)
		row, sum := make([]float32, c), float32(0)
		for k := range row {
			row[k] = .2 + .3*rng.Float32()
			if k == truth {
				row[k] += .15
			}
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
		p = append(p, row...)
	}
	a := Audit{
		Data: d, Probabilities: p, Note: func(string) {},
		Networks: config.Config{Seed: 1, Loss: losses.FirstLoss, Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
	}
	precision := func() float64 {
		s, err := a.Run(t.Context(), audit.At(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		if near := strings.Contains(s.Posterior, "neighbours"); !s.Weak || near != (a.near != nil) || s.ExpectedWrong != 0 {
			t.Errorf("weak %v, posterior %q, %.0f wrong", s.Weak, s.Posterior, s.ExpectedWrong)
		}
		return s.Measured.AveragePrecision
	}
	before := precision()
	for x := range n {
		for k := 1; k <= nearCount; k++ {
			of := (x + c*k) % n // of the same class
			if k%3 == 0 {
				of = rng.IntN(n)
			}
			a.near = append(a.near, int32(of))
		}
	}
	if after := precision(); after < before+.1 {
		t.Errorf("average precision %.3f, without neighbours %.3f", after, before)
	}
}

// Discriminants of the features sharpen the posterior, too, and are left out where the features say nothing.
func TestAuditWithDiscriminants(t *testing.T) {
	f, a, _ := hard(t)
	rng := rand.New(rand.NewPCG(9, 10))
	n := a.Data.Train.Len()
	for range n * nearCount { // neighbours at random
		a.near = append(a.near, int32(rng.IntN(n)))
	}
	precision := func(signal float64) float64 {
		a.features = nil
		for x := range n {
			truth := a.Data.Train.Truth[x]
			for k := range 20 {
				v := rng.NormFloat64()
				if k == truth {
					v += signal
				}
				a.features = append(a.features, float32(v*math.Pow(10, float64(k%3))))
			}
		}
		s, err := a.Run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if used := strings.HasSuffix(s.Posterior, " and discriminants"); used != (signal > 0) {
			t.Errorf("posterior %q", s.Posterior)
		}
		return s.Measured.AveragePrecision
	}
	for x := range n {
		truth := a.Data.Train.Truth[x]
		row := []float32{.01, .01, .01}
		row[truth], row[(truth+1)%3] = .79, .2
		if rng.IntN(10) < 4 {
			row[truth], row[(truth+1)%3] = row[(truth+1)%3], row[truth]
		}
		copy(a.Probabilities[3*x:], row)
		a.Data.Train.Labels[x] = truth
		if rng.IntN(5) == 0 {
			a.Data.Train.Labels[x] = (truth + 1 + rng.IntN(2)) % 3
		}
	}
	before := precision(0)
	if after := precision(3); after < before+.05 {
		t.Errorf("average precision %.3f, without features %.3f", after, before)
	}
}

// Discriminants are fitted three times, each time to what the last ones say of the true labels, with the ridge of the
// first time: where a class is often labelled as one other, the first ones hardly tell the two apart.
func TestDiscriminantsAgain(t *testing.T) {
	const n, c, d = 3000, 3, 30
	rng := rand.New(rand.NewPCG(4, 30))
	tm, err := correction.NewMatrix([]string{"cat", "dog", "frog"}, [][]float64{{.6, .4, 0}, {.4, .6, 0}, {0, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	a := Audit{Data: &dataset.Dataset{Classes: tm.Classes()}}
	var s sharp
	part := make([]int, n)
	for x := range n {
		truth := x % c
		part[x] = 1 + x/c%4
		for k := range d {
			v := rng.NormFloat64()
			if k%c == truth {
				v += .4
			}
			a.features = append(a.features, float32(v))
		}
		label := truth
		if truth < 2 && rng.IntN(10) < 4 {
			label = 1 - truth
		}
		a.Data.Train.Labels = append(a.Data.Train.Labels, label)
		row := []float32{.45, .45, .1} // the networks do not tell cats from dogs
		if truth == 2 {
			row = []float32{.1, .1, .8}
		}
		s.g = append(s.g, row...)
	}
	labels, before := a.Data.Train.Labels, s.g
	tried := ridges
	fitted := func(g []float32) []float32 {
		z := train.Discriminants(a.features, judging.TrueLabels(g, labels, tm), part, tried)
		b, err := judging.Blend(before, labels, z, tm)
		if err != nil {
			t.Fatal(err)
		}
		tried = []float64{tried[b.Used]}
		return b.G
	}
	mistaken := func(g []float32) (mistakes int) {
		for x, k := range correction.Classes(g, c) {
			if k != x%c {
				mistakes++
			}
		}
		return mistakes
	}
	first := fitted(before)
	third := fitted(fitted(first))
	if err := a.discriminate(&s, part, tm); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.g, third) || mistaken(third) >= mistaken(first) {
		t.Errorf("%d classes are mistaken, %d after three fits, %d after one, %d before", mistaken(s.g), mistaken(third), mistaken(first), mistaken(before))
	}
	if s.how != " and discriminants" || len(s.discriminants) != n*c {
		t.Errorf("posterior %q, %d numbers", s.how, len(s.discriminants))
	}
}
