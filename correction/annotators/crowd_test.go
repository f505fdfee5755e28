package annotators_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/expect"
)

// crowd is a simulated crowd: the answers and the truth behind them.
type crowd struct {
	*annotators.Answers
	truth []int
	skill []float64 // of each person
	g     []float32 // the posterior of a network, calibrated
}

// drawn describes what newCrowd draws.
type drawn struct {
	tasks, workers, classes, each int
	hard                          float64 // share of the examples on which all guess between the same two classes
	clear                         float64 // how well the network knows the class
}

// newCrowd draws answers of people of skills .5 to .95, each to examples at random.
func newCrowd(t *testing.T, rng *rand.Rand, d drawn) crowd {
	t.Helper()
	c := crowd{skill: make([]float64, d.workers)}
	names, classes := make([]string, d.workers), make([]string, d.classes)
	for r := range names {
		names[r], c.skill[r] = fmt.Sprintf("p%d", r), .5+.45*float64(r)/float64(max(d.workers-1, 1))
	}
	for k := range classes {
		classes[k] = fmt.Sprintf("c%d", k)
	}
	var list []annotators.Answer
	for i := range d.tasks {
		g := make([]float64, d.classes)
		for k := range g {
			g[k] = math.Exp(d.clear * rng.NormFloat64())
		}
		sum := floats.Sum(g)
		y, u := 0, rng.Float64()*sum
		for ; u > g[y] && y < d.classes-1; y++ {
			u -= g[y]
		}
		for k := range g {
			c.g = append(c.g, float32(g[k]/sum))
		}
		c.truth = append(c.truth, y)
		hard, like := rng.Float64() < d.hard, rng.IntN(d.classes)
		for _, r := range rng.Perm(d.workers)[:min(d.each, d.workers)] {
			label := y
			switch {
			case hard:
				if rng.IntN(2) == 0 {
					label = like
				}
			case rng.Float64() > c.skill[r]:
				label = (y + 1 + rng.IntN(d.classes-1)) % d.classes
			}
			list = append(list, annotators.Answer{Task: int32(i), Worker: int32(r), Label: int32(label)})
		}
	}
	c.Answers = newAnswers(t, d.tasks, names, classes, list)
	return c
}

func newAnswers(t *testing.T, tasks int, people, classes []string, list []annotators.Answer) *annotators.Answers {
	t.Helper()
	return expect.Got(annotators.New(tasks, people, classes, list))(t)
}

func estimate(t *testing.T, a *annotators.Answers, o annotators.Options) *annotators.Consensus {
	t.Helper()
	return expect.Got(annotators.Estimate(a, o))(t)
}

// wrong counts the wrong consensus labels.
func (c crowd) wrong(found *annotators.Consensus) (n float64) {
	for i, y := range c.truth {
		if found.Label[i] != y {
			n++
		}
	}
	return n
}

// distance returns the mean L1 distance of the rows of the estimated T from the true ones.
func (c crowd) distance(t *testing.T, found *annotators.Consensus) (sum float64) {
	for r, skill := range c.skill {
		want := expect.Got(correction.Symmetric(c.Classes, 1-skill))(t)
		sum += correction.RowError(found.T[r], want) / float64(len(c.skill))
	}
	return sum
}
