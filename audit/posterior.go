package audit

import "math"

// Where the clean posterior of an audit comes from, as Summary.Posterior.
const (
	givenPosterior  = "inverse"
	secondPosterior = "second network"
)

// softmax returns the probabilities of logits [N C].
func softmax(logits []float32, c int) []float32 {
	out := make([]float32, len(logits))
	row := make([]float64, c)
	for at := 0; at < len(logits); at += c {
		highest := math.Inf(-1)
		for _, z := range logits[at : at+c] {
			highest = max(highest, float64(z))
		}
		sum := 0.
		for k, z := range logits[at : at+c] {
			row[k] = math.Exp(float64(z) - highest)
			sum += row[k]
		}
		for k, v := range row {
			out[at+k] = float32(v / sum)
		}
	}
	return out
}

// logs returns the logarithms of probabilities, which are logits. That of 0 is that of the
// smallest float32.
func logs(p []float32) []float32 {
	out := make([]float32, len(p))
	for k, v := range p {
		out[k] = float32(math.Log(max(float64(v), math.SmallestNonzeroFloat32)))
	}
	return out
}

// argmax returns the likeliest class of each example, the first of equals.
func argmax(p []float32, c int) []int {
	out := make([]int, len(p)/c)
	for i := range out {
		for k, v := range p[i*c : (i+1)*c] {
			if v > p[i*c+out[i]] {
				out[i] = k
			}
		}
	}
	return out
}
