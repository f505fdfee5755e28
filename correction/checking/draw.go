package checking

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// perStratum is the number of checks of a stratum if all that were asked for are made.
const perStratum = 10

// spread is added to the variance w(1-w) of a label, so that labels of which the model is certain
// are drawn, too: it may be wrong there.
const spread = .02

// Check is an example that was drawn.
type Check struct {
	Index   int // of the example
	Stratum int
}

// Draw is a stratified random sample of examples, without replacement.
type Draw struct {
	Sizes  []int   // N_h, the number of examples of each stratum, from the least likely wrong ones on
	Checks []Check // in rounds: the first n are a sample, too
}

// NewDraw draws examples for n checks, and further ones up to most, or all if there are fewer.
// w holds the probability of each label to be wrong, as far as the model knows. There are
// n/10 strata, one at least, of examples with neighbouring w and about equal sums of
//
//	sqrt(w(1-w) + .02)
//
// to each of which the same number of checks is near the best allocation (Neyman's). The checks
// are in rounds: each has one example of each stratum that is left, the strata in random order.
//
// It is an error if w is empty or not in [0, 1], or n is below 1.
func NewDraw(w []float64, n, most int, rng *rand.Rand) (*Draw, error) {
	if len(w) == 0 || n < 1 {
		return nil, fmt.Errorf("checking: draw %d of %d labels", n, len(w))
	}
	for x, v := range w {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("checking: draw: the probability of example %d to be wrong is %v", x, v)
		}
	}
	strata := stratify(w, max(1, min(n, len(w))/perStratum), rng)
	d := &Draw{Sizes: make([]int, len(strata))}
	for h, members := range strata {
		d.Sizes[h] = len(members)
		rng.Shuffle(len(members), func(a, b int) { members[a], members[b] = members[b], members[a] })
	}
	most = min(max(n, most), len(w))
	for round := 0; len(d.Checks) < most; round++ {
		for _, h := range rng.Perm(len(strata)) {
			if round < len(strata[h]) && len(d.Checks) < most {
				d.Checks = append(d.Checks, Check{strata[h][round], h})
			}
		}
	}
	return d, nil
}

// stratify divides the examples by w. No stratum is empty.
func stratify(w []float64, strata int, rng *rand.Rand) [][]int {
	order := rng.Perm(len(w)) // of equal ones, none is before the others
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w[a], w[b]) })
	total := 0.
	for _, v := range w {
		total += deviation(v)
	}
	out := make([][]int, 0, strata)
	sum, begin := 0., 0
	for at, x := range order {
		sum += deviation(w[x])
		if last := len(out) == strata-1; !last && sum >= total*float64(len(out)+1)/float64(strata) {
			out, begin = append(out, order[begin:at+1]), at+1
		}
	}
	if begin < len(order) {
		out = append(out, order[begin:])
	}
	return out
}

func deviation(w float64) float64 { return math.Sqrt(w*(1-w) + spread) }

// Probabilities returns with what probability each of the first n checks was drawn: the
// share of its stratum that is among them.
func (d *Draw) Probabilities(n int) []float64 {
	drawn := make([]float64, len(d.Sizes))
	for _, c := range d.Checks[:n] {
		drawn[c.Stratum]++
	}
	out := make([]float64, n)
	for k, c := range d.Checks[:n] {
		out[k] = drawn[c.Stratum] / float64(d.Sizes[c.Stratum])
	}
	return out
}
