package judging

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/expect"
)

var (
	abc      = []string{"a", "b", "c"}
	identity = correction.Normalized(abc[:2], [][]float64{{1, 0}, {0, 1}})
	flips    = correction.Normalized(abc, [][]float64{{.5, .5, 0}, {.25, .75, 0}, {0, 0, 1}})
)

func newModel(t *testing.T, g []float32, labels []int, m *correction.Matrix, nats float64) *Model {
	t.Helper()
	return expect.Got(New(g, labels, m, estimators.Evidence{Nats: nats}))(t)
}

// w_T is Bayes' rule by T or by 1 % of accidents, and w_E = g_m^2 / (g_m^2 + g_y^2), computed by hand.
func TestModelByHand(t *testing.T) {
	for _, tt := range []struct {
		name             string
		g                []float32
		given            int
		byClass, byLabel float64
	}{
		{"as likely", []float32{.5, .5, 0}, 0, 1. / 3, .5},
		{"another class", []float32{.25, .75, 0}, 0, .6, .9},
		{"likeliest of two others", []float32{.3, .1, .6}, 1, .15 / .225, .36 / .37},
		{"not normalized", []float32{5, 5, 0}, 0, 1. / 3, .5},
		{"only its own class by T", []float32{.3, 0, .1}, 2, .0015 / .1005, .9},
		{"ruled out by T", []float32{.1, .9, 0}, 2, 1, 1},
	} {
		model := newModel(t, tt.g, []int{tt.given}, flips, 1000)
		if w, e := model.ClassDependent[0], model.InstanceDependent[0]; math.Abs(w-tt.byClass) > 1e-7 ||
			math.Abs(e-tt.byLabel) > 1e-7 {
			t.Errorf("%s: w_T %v, w_E %v, want %v, %v", tt.name, w, e, tt.byClass, tt.byLabel)
		}
	}
}

// At 8 nats of evidence class-dependent mistakes are as likely as not, apart from accidents; 8 nats per label make pi
// 1/82.
func TestEvidenceOfModel(t *testing.T) {
	for _, tt := range []struct{ evidence, rho, pi float64 }{
		{0, 0, .5}, {8, .5, 1. / 42}, {10, .880797, 1. / 52}, {16, .999665, 1. / 82},
	} {
		model := newModel(t, []float32{.5, .5, 0, .25, .75, 0}, []int{0, 0}, flips, tt.evidence)
		want := []float64{max(tt.rho/3, .0025/.4975), max(tt.rho*.6, .00375/.25125)}
		for x, w := range model.ClassDependent {
			if math.Abs(w-want[x]) > 1e-6 || math.Abs(model.Pi-tt.pi) > 1e-9 {
				t.Errorf("%v nats: w_T %.6f, pi %.4f, want %.6f, %.4f", tt.evidence, w, model.Pi, want[x], tt.pi)
			}
		}
	}
}

// People's answers determine w_T, and networks w_E.
func TestConsensus(t *testing.T) {
	q, labels := []float32{.7, .2, .1, .3, .1, .6}, []int{0, 0}
	for _, tt := range []struct {
		networks []float32
		want     []float64 // w_E
	}{{nil, []float64{.3, .7}}, {[]float32{.1, .3, .2, .6, .2, .1}, []float64{.9, .1}}} {
		model := expect.Got(Consensus(q, tt.networks, labels, abc))(t)
		for x, e := range model.InstanceDependent {
			if w := model.ClassDependent[x]; math.Abs(w-[]float64{.3, .7}[x]) > 1e-6 || math.Abs(e-tt.want[x]) > 1e-6 {
				t.Errorf("example %d: w_T %.3f, w_E %.3f, want w_E %.3f", x, w, e, tt.want[x])
			}
		}
		j := model.Judge(model.Pi, nil, nil, false)
		if model.Pi != .5 || j.Order[0] != 1 || j.Suggested[0] != 1 || j.Suggested[1] != 2 {
			t.Errorf("pi %v, %+v", model.Pi, j)
		}
	}
}

// Posteriors have to be finite, at least 0, and match the labels.
func TestModelRefuses(t *testing.T) {
	for _, tt := range []struct {
		want   string
		g      []float32
		labels []int
	}{
		{"3 posteriors for 2 labels of 2 classes", []float32{1, 0, 1}, []int{0, 1}},
		{"0 posteriors for 0 labels", nil, nil},
		{"given label of example 0 is 2", []float32{1, 0}, []int{2}},
		{"posterior of example 1 for class b is NaN", []float32{1, 0, 1, float32(math.NaN())}, []int{0, 0}},
		{"posterior of example 0 for class a is -0.5", []float32{-.5, 0}, []int{0}},
		{"posterior of example 0 for class a is +Inf", []float32{float32(math.Inf(1)), 0}, []int{0}},
	} {
		expect.Fails(t, expect.Err(New(tt.g, tt.labels, identity, estimators.Evidence{})), tt.want)
	}
	_, err := Consensus([]float32{1, 0}, []float32{1, 0, 1, 0}, []int{0, 0}, abc[:2])
	expect.Fails(t, err, "2 probabilities of a consensus and 4 posteriors")
}
