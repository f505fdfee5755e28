package correction

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Softmax returns the probabilities of logits [N C], computed in float64 and then rounded. Panics if c does not
// divide the number of logits.
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

// SoftmaxInPlace turns x, logarithms up to a constant, into probabilities and returns log sum exp x.
func SoftmaxInPlace(x []float64) float64 {
	total := floats.LogSumExp(x)
	for k, v := range x {
		x[k] = math.Exp(v - total)
	}
	return total
}

// Classes returns the likeliest class of each example, the first on a tie. scores are logits or probabilities [N C].
// Panics if c does not divide their number.
func Classes(scores []float32, c int) []int {
	if len(scores)%c != 0 {
		panic(fmt.Sprintf("correction: classes: %d scores do not fill rows of %d", len(scores), c))
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

// CheckLogits returns an error if a logit [N C] is not finite.
func CheckLogits(logits []float32, classes []string) error {
	for k, z := range logits {
		if v := float64(z); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("logit of example %d for class %s is %v: the network diverged", k/len(classes),
				classes[k%len(classes)], z)
		}
	}
	return nil
}

// CheckPosteriors returns an error if a posterior [N C] is negative or not finite.
func CheckPosteriors(p []float32, classes []string) error {
	for k, v := range p {
		if !(v >= 0 && v <= math.MaxFloat32) {
			return fmt.Errorf("posterior of example %d for class %s is %v", k/len(classes), classes[k%len(classes)], v)
		}
	}
	return nil
}
