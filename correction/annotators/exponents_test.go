package annotators

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// The derivatives by both exponents equal central differences.
func TestLeftOutDerivatives(t *testing.T) {
	a, err := New(4, []string{"p", "q", "r"}, []string{"x", "y", "z"}, []Answer{
		{0, 0, 0}, {0, 1, 0}, {0, 2, 1}, {1, 0, 2}, {1, 2, 2}, {2, 1, 1}, {3, 0, 1}, {3, 1, 2}, {3, 2, 1},
	})
	expect.OK(t, err)
	e := newTempered(a)
	for _, g := range []float64{.6, .3, .1, .2, .2, .6, .1, .8, .1, .5, .25, .25} {
		e.network = append(e.network, math.Log(g))
	}
	e.learn()
	const h = 1e-5
	for _, at := range [][2]float64{{1, 1}, {.4, .7}, {2, .1}} {
		_, byA, byB := e.leftOut(at[0], at[1])
		upA, _, _ := e.leftOut(at[0]+h, at[1])
		downA, _, _ := e.leftOut(at[0]-h, at[1])
		upB, _, _ := e.leftOut(at[0], at[1]+h)
		downB, _, _ := e.leftOut(at[0], at[1]-h)
		if math.Abs(byA-(upA-downA)/(2*h)) > 1e-8 || math.Abs(byB-(upB-downB)/(2*h)) > 1e-8 {
			t.Errorf("at %v: %v and %v, central differences %v and %v", at, byA, byB, (upA-downA)/(2*h), (upB-downB)/(2*h))
		}
	}
	before, _, _ := e.leftOut(1, 1)
	bestA, bestB := e.best()
	if after, byA, _ := e.leftOut(bestA, bestB); after <= before || math.Abs(byA) > .01 {
		t.Errorf("from %v to %v at a %v, b %v, derivative by a %v", before, after, bestA, bestB, byA)
	}
	if e.refit(); math.Abs(e.a*e.a-bestA) > 1e-12 || math.Abs(e.b*e.b-bestB) > 1e-12 {
		t.Errorf("half of the way from 1 and 1 to %v and %v: %v and %v", bestA, bestB, e.a, e.b)
	}
}

// An answer that is left out contributes to neither the q nor the T that it is compared with.
func TestLeftOutLeavesOut(t *testing.T) {
	value := func(label int32) (own float64) {
		a := expect.Got(New(2, []string{"p", "q"}, []string{"x", "y"}, []Answer{{0, 0, label}, {0, 1, 0}, {1, 1, 1}}))(t)
		e := newTempered(a)
		e.q = []float64{.9, .1, .2, .8}
		e.learn()
		for k := range 2 { // p has no other answer, so T is the pooled one
			if got, want := e.left[k], e.pooled.at[k*2+int(label)]; math.Abs(got-want) > 1e-12 {
				t.Errorf("T of a person's other answers: %v, want the pooled %v", got, want)
			}
		}
		e.without(func(n int, _, others []float64) {
			if n == 0 {
				own = others[0] - others[1]
				if want := e.log[2] - e.log[3]; math.Abs(own-want) > 1e-12 {
					t.Errorf("others say %v, want %v", own, want)
				}
			}
		})
		return own
	}
	value(0)
	value(1)
}
