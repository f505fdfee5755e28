package correction

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Softmax returns the probabilities of logits [N C], in float64 until they are rounded.
// Panics if c does not divide the number of logits.
func Softmax(logits []float32, c int) []float32 {
	out := make([]float32, len(logits))
	row := make([]float64, c)
	for at := 0; at < len(logits); at += c {
		for k, z := range logits[at : at+c] {
			row[k] = float64(z)
		}
		SoftmaxInPlace(row)
		for k, v := range row {
			out[at+k] = float32(v)
		}
	}
	return out
}

// SoftmaxInPlace makes probabilities of logarithms, and returns the logarithm of the sum of what they are of.
func SoftmaxInPlace(x []float64) float64 {
	most, sum := floats.Max(x), 0.
	for k, v := range x {
		x[k] = math.Exp(v - most)
		sum += x[k]
	}
	floats.Scale(1/sum, x)
	return most + math.Log(sum)
}

// Given sets r to the probabilities of the true class of an example whose given label is known too, and returns the
// probability q of that label. g are the probabilities of the true class without it, column is T[.][ỹ]:
//
//	r_k = g_k T[k][ỹ] / q,   q = sum over k of g_k T[k][ỹ]
//
// It is the step of expectation of every fit of T.
func Given(r, g, column []float64) (q float64) {
	q = math.SmallestNonzeroFloat32 // where g rules the label out
	for k, v := range g {
		r[k] = v * column[k]
		q += r[k]
	}
	floats.Scale(1/q, r)
	return q
}

// Classes returns the likeliest class of each example, the first of equals, of logits or
// probabilities [N C]. Panics if c does not divide their number.
func Classes(scores []float32, c int) []int {
	if len(scores)%c != 0 {
		panic(fmt.Sprintf("correction: classes: %d scores are no rows of %d", len(scores), c))
	}
	out := make([]int, len(scores)/c)
	for i := range out {
		for k, v := range scores[i*c : (i+1)*c] {
			if v > scores[i*c+out[i]] {
				out[i] = k
			}
		}
	}
	return out
}
