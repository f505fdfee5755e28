package estimators

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The examples of a fold reveal a network that swaps 5 and 6, but do not blame one that is right or unsure about a
// few.
func TestTrapped(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 88))
	e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .4), 10000)
	found := estimateExample(t, e, Options{Name: "vertices"})
	held := rng.Perm(10000)[:2500]
	predict := func(swap bool) []float32 {
		g := make([]float32, 10*len(held))
		for k, x := range held {
			y := e.Labels[x]
			if swap && (y == 5 || y == 6) {
				y = 11 - y
			}
			if rng.IntN(5) == 0 {
				y = rng.IntN(10)
			}
			g[10*k+y] = 1
		}
		return g
	}
	expect.Same(t, []int{5, 6}, found.Trapped(predict(true), held), "trapped classes")
	expect.Same(t, nil, found.Trapped(predict(false), held), "trapped classes of a right network")
}
