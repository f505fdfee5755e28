package find

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// The labels of similar examples improve the posterior if they add information, and its name mentions them.
func TestAuditWithNeighbours(t *testing.T) {
	f, a, _ := hard(t)
	rng := rand.New(rand.NewPCG(9, 9))
	n := a.Data.Train.Len()
	for x := range n { // the networks are right on six of ten examples
		truth := a.Data.Train.Truth[x]
		a.Data.Train.Labels[x] = truth
		if rng.IntN(5) == 0 {
			a.Data.Train.Labels[x] = (truth + 1) % 3
		}
		row := []float32{.01, .01, .01}
		row[truth], row[(truth+1)%3] = .79, .2
		if rng.IntN(10) < 4 {
			row = []float32{.34, .33, .33}
		}
		copy(a.Probabilities[3*x:], row)
	}
	precision := func() float64 {
		s := expect.Got(a.run(t.Context(), f))(t)
		if near := strings.Contains(s.Posterior, "neighbours"); near != (a.near != nil) {
			t.Errorf("posterior %q", s.Posterior)
		}
		return s.Measured.AveragePrecision
	}
	before := precision()
	for x := range n {
		for k := 1; k <= 10; k++ {
			a.near = append(a.near, int32((x+3*k)%n)) // of the same class
		}
	}
	if after := precision(); after < before+.05 {
		t.Errorf("average precision %.3f, without neighbours %.3f", after, before)
	}
}
