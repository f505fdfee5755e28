package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// neighbourUniform is the share of uniformly random labels among the neighbours'.
const neighbourUniform = .05

// neighbourVotes returns the evidence of the neighbours' labels for each class [N C]: the mean over neighbours m of
//
//	log T'[k][ỹ_m],   T' = .95 T + .05/c
//
// It is an error if a neighbour is neither an example nor -1.
func neighbourVotes(near []int32, labels []int, t *correction.Matrix) ([]float32, error) {
	n, c := len(labels), t.Dim()
	if len(near)%n != 0 {
		return nil, fmt.Errorf("judging: %d neighbours for %d labels", len(near), n)
	}
	each := len(near) / n
	logs := t.ByLabel()
	logs.Apply(func(_, _ int, v float64) float64 {
		return math.Log((1-neighbourUniform)*v + neighbourUniform/float64(c))
	}, logs)
	votes, sum := make([]float32, n*c), make([]float64, c)
	for x := range n {
		clear(sum)
		count := 0.
		for _, m := range near[x*each : (x+1)*each] {
			if m < -1 || int(m) >= n {
				return nil, fmt.Errorf("judging: neighbour %d of example %d, want one of %d examples or -1", m, x, n)
			}
			if m < 0 {
				continue
			}
			count++
			floats.Add(sum, logs.RawRowView(labels[m]))
		}
		for k, v := range sum {
			votes[x*c+k] = float32(v / max(1, count))
		}
	}
	return votes, nil
}
