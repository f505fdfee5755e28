package judging

import (
	"math"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// skill is how well networks tell classes apart, whatever the number of labels of each.
type skill struct {
	recall  float64 // share of the labels of a class that are predicted, mean over the classes
	spread  float64 // its standard error
	classes int     // that have labels, and are not rare
}

// skillOf measures predictions of unseen labels by p(ỹ=k|x) / p(ỹ=k), the likeliest class if all were
// equally frequent. Where few labels are of a class, or many of its labels are wrong, the largest
// posterior of uncertain networks may be that of another class for each example, although they
// order the examples well.
func skillOf(logits []float32, labels []int, c int) skill {
	p := correction.Softmax(logits, c)
	share, count, hits := make([]float64, c), make([]float64, c), make([]float64, c)
	for k, v := range p {
		share[k%c] += float64(v)
	}
	for x, y := range labels {
		best := 0
		for k := range c {
			// No division: a class that no example may have has a share of 0.
			if float64(p[x*c+k])*share[best] > float64(p[x*c+best])*share[k] {
				best = k
			}
		}
		count[y]++
		if best == y {
			hits[y]++
		}
	}
	var s skill
	variance := 0.
	rare := estimators.Rare(labels, c)
	for k, n := range count {
		if n > 0 && !rare[k] {
			recall := hits[k] / n
			s.classes++
			s.recall += recall
			variance += recall * (1 - recall) / n
		}
	}
	s.recall /= float64(s.classes)
	s.spread = math.Sqrt(variance) / float64(s.classes)
	return s
}

// chance is the recall of guesses.
func (s skill) chance() float64 { return 1 / float64(s.classes) }

// little reports whether the recall may be one of guesses, or is hardly above it.
func (s skill) little() bool {
	return s.recall-s.chance() < max(leastSkill*(1-s.chance()), 3*s.spread)
}
