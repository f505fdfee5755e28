package judging

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/correction"
)

// neighbourAccidents is the share of the neighbours' labels that are any class.
const neighbourAccidents = .05

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
	logs := columnsOf(t)
	for _, column := range logs {
		for k, v := range column {
			column[k] = math.Log((1-neighbourAccidents)*v + neighbourAccidents/float64(c))
		}
	}
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
			for k, v := range logs[labels[m]] {
				sum[k] += v
			}
		}
		for k, v := range sum {
			votes[x*c+k] = float32(v / max(1, count))
		}
	}
	return votes, nil
}
