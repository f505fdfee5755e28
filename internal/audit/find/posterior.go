package find

import "math"

// Where the clean posterior of an audit comes from, as Summary.Posterior.
const (
	givenPosterior     = "given, calibrated"
	firstPosterior     = "first networks, calibrated" // of a view that one stage suffices
	secondPosterior    = "second network"
	noisyPosterior     = "first network" // of given labels: the networks are too weak for more
	consensusPosterior = "consensus"
)

// faintPosteriors are those of weak networks whose examples have neighbours, by the kind that judging.Faint
// has found.
var faintPosteriors = []string{noisyPosterior, "first networks, calibrated", secondPosterior}

// logs returns the logarithms of probabilities, which are logits. That of 0 is that of the
// smallest float32.
func logs(p []float32) []float32 {
	out := make([]float32, len(p))
	for k, v := range p {
		out[k] = float32(math.Log(max(float64(v), math.SmallestNonzeroFloat32)))
	}
	return out
}
