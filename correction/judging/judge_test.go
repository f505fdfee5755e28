package judging

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

// w is the mixture by pi, clipped away from 0 and 1.
func TestMixture(t *testing.T) {
	m := &Model{ClassDependent: []float64{0, .2, 1}, InstanceDependent: []float64{0, .6, 1}, labels: make([]int, 3)}
	for pi, want := range map[float64]float64{0: .2, .25: .3, 1: .6} {
		if w := m.Mixture(pi); w[0] != 1e-4 || math.Abs(w[1]-want) > 1e-12 || w[2] != 1-1e-4 {
			t.Errorf("pi %v: w %v, want 1e-4, %v, 1 - 1e-4", pi, w, want)
		}
	}
}

// For examples labelled b, T suggests a and the networks suggest c.
func TestSuggested(t *testing.T) {
	m := correction.Normalized(abc, [][]float64{{.6, .4, 0}, {0, 1, 0}, {0, .1, .9}})
	g := []float32{.45, .05, .5, .2, .79, .01, .4, .2, .4, 0, 1, 0}
	labels := []int{1, 1, 1, 1}
	model := newModel(t, g, labels, m, 1000)
	for pi, first := range map[float64]int{0: 0, .3: 0, .4: 2, 1: 2} {
		expect.Same(t, []int{first, 0, 0, 0}, model.Judge(pi, nil, nil, false).Suggested, "pi", pi)
	}
}

// The given label is suggested only if people confirmed it. Known labels are first or last in either order.
func TestKnownLabels(t *testing.T) {
	g := []float32{.9, .05, .05, .1, .8, .1, .2, .1, .7, .4, .4, .2, .3, .3, .4, .1, .8, .1}
	labels := []int{0, 0, 1, 1, 2, 2}
	known := []correction.Trusted{{Index: 0, Label: 2}, {Index: 5, Label: 2}}
	for _, byW := range []bool{false, true} {
		j := newModel(t, g, labels, flips, 1000).Judge(.5, known, nil, byW)
		for x, s := range j.Suggested {
			expect.Same(t, x == 5, s == labels[x], "suggests the given label", x)
		}
		if j.Wrong[0] != 1 || j.Wrong[5] != 0 || j.Suggested[0] != 2 || j.Order[0] != 0 || j.Order[5] != 5 {
			t.Errorf("known labels 0, wrong, and 5, right: %+v", j)
		}
	}
}

// The order by T starts with mistakes that T explains, the order by w with labels that the networks contradict.
func TestOrder(t *testing.T) {
	m := correction.Normalized(abc, [][]float64{{.6, .4, 0}, {0, 1, 0}, {0, .01, .99}})
	model := newModel(t, []float32{.6, .4, 0, 0, .1, .9, 0, 1, 0}, []int{1, 1, 1}, m, 1000)
	byT, byW := model.Judge(.9, nil, nil, false).Order, model.Judge(.9, nil, nil, true).Order
	expect.Same(t, [][]int{{0, 1, 2}, {1, 0, 2}}, [][]int{byT, byW}, "order by T and by w")
	// Without evidence for T the order does not use it.
	model = newModel(t, []float32{.1, .9, .4, .6, .2, .8, .3, .7}, []int{0, 0, 0, 0}, identity, 0)
	expect.Same(t, []int{0, 2, 3, 1}, model.Judge(.5, nil, nil, false).Order, "order without T")
	// w_T of both is 1 in float64.
	model = newModel(t, []float32{1e-20, 1, 1e-30, 1}, []int{0, 0}, correction.Normalized(abc[:2],
		[][]float64{{.8, .2}, {.2, .8}}), 1000)
	if got := model.Judge(.5, nil, nil, false).Order; model.ClassDependent[0] != 1 || !slices.Equal(got, []int{1, 0}) {
		t.Errorf("order %v of saturated posteriors, w_T %v", got, model.ClassDependent)
	}
}

// Ties are ordered by the posterior of the given label, or at random.
func TestOrderOfTies(t *testing.T) {
	const n = 1000
	model := newModel(t, slices.Repeat([]float32{.5, .5}, n), make([]int, n), identity, 0)
	self := make([]float32, n)
	for x := range self {
		self[x] = float32((x * 7) % n)
	}
	if order := model.Judge(.5, nil, self, true).Order; !slices.IsSortedFunc(order, func(a, b int) int {
		return cmp.Compare(self[a], self[b])
	}) {
		t.Errorf("order %v, want 0, 143, 286, ...", order[:3])
	}
	first := 0
	for _, x := range model.Judge(.5, nil, nil, true).Order[:n/2] {
		if x < n/2 {
			first++
		}
	}
	if first < 210 || first > 290 { // 250, with a standard error of 8
		t.Errorf("%d of the first %d labels are of the first half of the data", first, n/2)
	}
}
