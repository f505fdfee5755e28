package correction

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Bayes sets r to the probabilities of the true class of an example when its given label ỹ is known, too, and returns
// the probability q of that label, which is 0 where p rules the label out:
//
//	r_k = P(y=k | x, ỹ) = P(ỹ | y=k) p_k / q,    q = P(ỹ | x) = sum over k of P(ỹ | y=k) p_k
//
// p are the probabilities of the classes without the label, and likelihood is the label's row of [Matrix.ByLabel].
func Bayes(r, p, likelihood []float64) (q float64) {
	floats.MulTo(r, p, likelihood)
	q = floats.Sum(r)
	floats.Scale(1/max(q, math.SmallestNonzeroFloat32), r)
	return q
}
