package judging

import (
	"slices"

	"github.com/losscorr/losscorr/correction"
)

// Limits of Better.
const (
	fewestOfEach = 5  // right and wrong labels that are known
	farBetter    = .1 // difference of the chances
)

// Better reports whether a ranks labels of which some are known to be right or wrong far better than b: the chance that
// it ranks a wrong one before a right one is larger by .1 or more. The known labels have to be drawn at random, or
// by a ranking of b alone. With fewer than five of each it says no. Panics if a and b judge other labels.
func (a *Audited) Better(b *Audited, known []correction.Trusted) bool {
	var right, wrong []int
	for _, t := range known {
		if t.Label == a.given[t.Index] {
			right = append(right, t.Index)
		} else {
			wrong = append(wrong, t.Index)
		}
	}
	if len(right) < fewestOfEach || len(wrong) < fewestOfEach {
		return false
	}
	return a.before(wrong, right)-b.before(wrong, right) >= farBetter
}

// before is the share of pairs of which the first is ranked before the second.
func (a *Audited) before(first, second []int) float64 {
	place := make([]int, len(a.Wrong))
	for k, x := range a.Order() {
		place[x] = k
	}
	n := 0
	for _, x := range first {
		for _, y := range second {
			if place[x] < place[y] {
				n++
			}
		}
	}
	return float64(n) / float64(len(first)*len(second))
}

// RankBy ranks the labels as b ranks them. The probabilities of wrong labels go to other examples, the largest
// to the one that b ranks first, so that their sum stays and they fall along the ranking. b also says which
// examples [Ask] asks for. Panics if b judges another number of labels.
func (a *Audited) RankBy(b *Audited) {
	moved := make([]float64, len(a.Wrong))
	sorted := slices.Sorted(slices.Values(a.Wrong))
	for k, x := range b.Order() {
		moved[x] = sorted[len(sorted)-1-k]
	}
	a.odds, a.doubt = slices.Clone(b.odds), slices.Clone(b.doubt)
	a.sure, a.self = slices.Clone(b.sure), slices.Clone(b.self)
	a.Recalibrate(moved)
}
