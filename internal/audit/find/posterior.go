package find

import "math"

// Sources of an audit's clean posterior, for Summary.Posterior.
const (
	givenPosterior     = "given probabilities"
	firstPosterior     = "first networks"
	secondPosterior    = "second networks"
	consensusPosterior = "consensus"
)

const leastPosterior = 1e-9

// logs returns the logarithms of probabilities, which are logits. Probabilities below 1e-9
// count as 1e-9.
func logs(p []float32) []float32 {
	out := make([]float32, len(p))
	for k, v := range p {
		out[k] = float32(math.Log(max(float64(v), leastPosterior)))
	}
	return out
}
