package annotators

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/losscorr/losscorr/correction"
)

// The exponents stay in these ranges. Answers that are independent given the true class have b = 1, the most
// possible; a above 1 is possible because a network trained on soft labels can be underconfident.
const (
	leastExponent = .05
	mostPeople    = 1
	mostNetwork   = 5
)

// refit moves the exponents a and b towards the maximum of the probability of each answer given the network and the
// other people's answers:
//
//	sum over answers y_ir of log sum over k of q_i,-r(k) T_r[k][y_ir]
//
// where q_i,-r is q_i without the answer of r, and T_r is estimated from the person's other answers. a stays 1
// without a network, and b stays as it is if no two people answer the same example.
//
// The exponents go half of the way, because whole steps oscillate: a smaller b makes the T_r less certain, which in
// turn favours a larger b. The result is the larger change of log a and log b.
func (e *tempered) refit() (moved float64) {
	a, b := e.best()
	moved = max(math.Abs(math.Log(a/e.a)), math.Abs(math.Log(b/e.b))) / 2
	e.a, e.b = math.Sqrt(e.a*a), math.Sqrt(e.b*b)
	return moved
}

// best returns the exponents that maximise the sum in refit.
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
				if grad[n] = slopes[n]; at != math.Exp(x[n]) { // outside of the range, where the value is constant
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

// leftOut returns the mean of the logarithms that refit maximises and its derivatives by a and b.
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
