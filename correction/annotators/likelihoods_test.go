package annotators_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/expect"
)

// Likelihoods times the network's posterior give the consensus; an example without answers has zeros.
func TestLikelihoods(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	c := newCrowd(t, rng, drawn{tasks: 400, workers: 6, classes: 3, each: 3, hard: .2, clear: 1})
	c.Answers, _ = annotators.New(401, c.Workers, c.Classes, c.List)
	c.g = append(c.g, .2, .3, .5)
	found := estimate(t, c.Answers, annotators.Options{Posteriors: c.g})
	l := found.Likelihoods(c.Answers)
	expect.Same(t, 401*3, len(l), "likelihoods")
	for i := range 400 {
		row, joint := l[3*i:3*i+3], make([]float64, 3)
		for k := range joint {
			joint[k] = math.Pow(float64(c.g[3*i+k]), found.Network) * float64(row[k])
		}
		floats.Scale(1/floats.Sum(joint), joint)
		// The matrices come from the last turn but one and are stable to 1e-3.
		if !floats.EqualApprox(joint, found.Of(i), 3e-3) {
			t.Fatalf("example %d: %v with the network, want %v", i, joint, found.Of(i))
		}
		expect.Same(t, 1, slices.Max(row), "largest of example", i)
	}
	expect.Same(t, make([]float32, 3), l[1200:], "an example without an answer")
}
