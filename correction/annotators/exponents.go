package annotators

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/losscorr/losscorr/correction"
)

// The exponents stay in these ranges. Answers that are independent where the true class is
// known have b = 1, and none are more than that; a network trained on soft labels can be too
// unsure.
const (
	leastExponent = .05
	mostPeople    = 1
	mostNetwork   = 5
)

// refit finds the exponents a and b that give the answers the most probability, each from the
// network and the answers of the other people alone:
//
//	sum over answers y_ir of log sum over k of q_i,-r(k) T_r[k][y_ir]
//
// where q_i,-r is q_i without the answer of r, and T_r is that of the person's other answers.
// No true label is read. Without a network a stays 1. Where nobody answers the same examples
// as others, nothing says what b is, and it stays.
//
// The exponents go half of the way: with a smaller b the T_r become less sure, which asks for
// a larger b, so that whole steps swing to and fro. It returns by how much a logarithm of one
// has moved at most.
func (e *tempered) refit() (moved float64) {
	a, b := e.best()
	moved = max(math.Abs(math.Log(a/e.a)), math.Abs(math.Log(b/e.b))) / 2
	e.a, e.b = math.Sqrt(e.a*a), math.Sqrt(e.b*b)
	return moved
}

// best returns the exponents that maximise the sum of refit.
func (e *tempered) best() (a, b float64) {
	x := []float64{math.Log(e.b), math.Log(e.a)}
	if e.network == nil {
		x = x[:1]
	}
	set := func(x []float64) (a, b float64) {
		a, b = e.a, bounded(x[0], mostPeople)
		if len(x) > 1 {
			a = bounded(x[1], mostNetwork)
		}
		return a, b
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			a, b := set(x)
			value, _, _ := e.leftOut(a, b)
			return -value
		},
		Grad: func(grad, x []float64) {
			a, b := set(x)
			_, byA, byB := e.leftOut(a, b)
			slopes := []float64{-byB * b, -byA * a}
			for n, at := range []float64{b, a}[:len(x)] {
				if grad[n] = slopes[n]; at != math.Exp(x[n]) { // out of the range, where nothing changes
					grad[n] = 0
				}
			}
		},
	}
	result, err := optimize.Minimize(problem, x, &optimize.Settings{GradientThreshold: 1e-4, MajorIterations: 5},
		&optimize.BFGS{})
	if result == nil || err != nil && result.F >= problem.Func(x) {
		return e.a, e.b
	}
	return set(result.X)
}

func bounded(logarithm, most float64) float64 {
	return min(max(math.Exp(logarithm), leastExponent), most)
}

// leftOut returns the mean of the logarithms that refit maximises, and its derivatives.
func (e *tempered) leftOut(a, b float64) (value, byA, byB float64) {
	c := len(e.Classes)
	x := make([]float64, c)
	e.without(func(n int, base, others []float64) {
		for k := range x {
			x[k] = a*base[k] + b*others[k]
		}
		correction.SoftmaxInPlace(x)
		left := e.left[n*c : (n+1)*c]
		joint := floats.Dot(x, left)
		value += math.Log(joint)
		for k, q := range x {
			d := q * (left[k]/joint - 1)
			byA += d * base[k]
			byB += d * others[k]
		}
	})
	count := float64(len(e.List))
	return value / count, byA / count, byB / count
}
