package find

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
)

// Where no class has perfect examples, T-hat has too much noise, and the audit's T and count have not.
func TestCountOfUnclearClasses(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(5, 6))
	d := &dataset.Dataset{Classes: []string{"neg", "pos"}, Train: dataset.Split{Labels: make([]int, n), Truth: make([]int, n)}}
	var p []float32
	wrong := 0.
	for x := range n {
		truth := x % 2
		odds := math.Exp(1.8 * (rng.NormFloat64() + .9*float64(2*truth-1))) // of pos
		neg := .7 / (1 + odds)                                              // of the given label
		p = append(p, float32(neg), float32(1-neg))
		d.Train.Truth[x], d.Train.Labels[x] = truth, truth
		if truth == 0 && rng.Float64() < .3 {
			d.Train.Labels[x] = 1
			wrong++
		}
	}
	a := Audit{
		Data: d, Probabilities: p, Note: func(string) {}, Command: "losscorr audit", Program: "0",
		Networks: config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"}, Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
	}
	s, err := a.Run(t.Context(), audit.At(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.ExpectedWrong-wrong) > .1*wrong {
		t.Errorf("%.0f wrong labels, in truth %.0f", s.ExpectedWrong, wrong)
	}
	if low, high := s.NoiseRateInterval.Low*n, s.NoiseRateInterval.High*n; low > wrong || high < wrong {
		t.Errorf("from %.0f to %.0f wrong labels, in truth %.0f", low, high, wrong)
	}
	if math.Abs(s.T[0][1]-.3) > .015 || s.T[1][0] > .015 {
		t.Errorf("T is %v", s.T)
	}
}

// Nothing is fitted to labels that show no mistakes, or mistakes that one T does not describe.
func TestRefitWhereTDescribes(t *testing.T) {
	m, err := correction.NewMatrix([]string{"cat", "dog"}, [][]float64{{.5, .5}, {.5, .5}})
	if err != nil {
		t.Fatal(err)
	}
	a := Audit{Data: &dataset.Dataset{Train: dataset.Split{Labels: []int{0, 0, 0, 0, 1, 1, 1, 1}}}}
	clean := []float32{.9, .1, .8, .2, .9, .1, .8, .2, .1, .9, .2, .8, .1, .9, .2, .8}
	for _, tt := range []struct {
		unshown, doubted bool
		uneven           *judging.Uneven
		fitted           bool
	}{
		{fitted: true}, {uneven: &judging.Uneven{}, fitted: true}, {doubted: true}, {uneven: &judging.Uneven{Noticed: true}}, {unshown: true},
	} {
		found := &finding{estimation: &estimators.Estimation{T: m}, clean: clean, shown: !tt.unshown, doubted: tt.doubted, uneven: tt.uneven}
		if err := found.refit(a); err != nil {
			t.Fatal(err)
		}
		if fitted := found.estimation.T.At(0, 0) > .6 && found.clean[0] > .9; fitted != tt.fitted {
			t.Errorf("%+v: T is %v, posteriors %v", tt, found.estimation.T.Rows(), found.clean)
		}
	}
}
