package estimators

import (
	"cmp"
	"fmt"
)

var percentileEntry = Entry{
	Name: "percentile", About: "as argmax, over the examples below a percentile", Quantile: true,
	Beside: "class-quantile", estimate: estimatePercentile,
}

// estimatePercentile takes the example with the largest posterior of i strictly below the q-quantile of X' as the
// anchor of class i, so that a few outliers cannot become anchors (the paper's Section 5.1, q = 0.97).
//
// The published code zeroes every value at or above numpy.percentile(column, 97) and takes the argmax of the rest. It
// zeroes in place, so later classes read a changed posterior; this function always reads the network's posterior.
// Otherwise both agree.
func estimatePercentile(p *posteriors, _ []int, o Options) (reading, error) {
	q := cmp.Or(o.Quantile, .97)
	if !(q > 0 && q <= 1) {
		return reading{}, fmt.Errorf("quantile is %v: use more than 0 and at most 1", q)
	}
	r := newReading(p.c)
	for i := range p.c {
		r.rows[i] = p.rows[r.anchorBelow(p, i, q)]
	}
	return r, nil
}

// anchorBelow sets the anchor of class i to its quantileAnchor and returns it.
func (r *reading) anchorBelow(p *posteriors, i int, q float64) int {
	x, below := quantileAnchor(p.scores(i), q)
	if !below {
		r.warnings = append(r.warnings, fmt.Sprintf("the network's probabilities of class %s hardly differ between "+
			"examples, so its row of T-hat rests on a single one: train longer or add examples of this class",
			p.classes[i]))
	}
	r.anchors[i] = x
	return x
}
