package correction

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Bayes updates the class probabilities p of an example by its given label ỹ. It writes the result to r and returns
// the probability q of the label, 0 where p rules the label out:
//
//	r_k = P(y=k | x, ỹ) = P(ỹ | y=k) p_k / q,    q = P(ỹ | x) = sum over k of P(ỹ | y=k) p_k
//
// likelihood is the label's row of [Matrix.ByLabel].
func Bayes(r, p, likelihood []float64) (q float64) {
	floats.MulTo(r, p, likelihood)
	q = floats.Sum(r)
	floats.Scale(1/max(q, math.SmallestNonzeroFloat32), r)
	return q
}
