package estimators

import (
	"cmp"
	"fmt"

	"gonum.org/v1/gonum/floats"
)

var classQuantileEntry = Entry{
	Name: "class-quantile", About: "as percentile, with a cut relative to the size of each class", Labels: true,
	Beside: "vertices", estimate: estimateClassQuantile,
}

// estimateClassQuantile cuts at a quantile relative to the size of the class instead of X'. The anchor of class i is
// the example with the largest posterior of i strictly below the quantile
//
//	q_i = 1 - kappa P(ỹ = i)
//
// and row i of T-hat is the mean posterior of the k examples whose posteriors
// are nearest to the anchor's in Euclidean distance, the anchor included.
//
// A cut of 3 % of X' is a third of a class at c = 10 but three classes at c = 100, which is why the paper's
// percentile fails on CIFAR-100. The mean over neighbours keeps a single unusual example from deciding a row.
func estimateClassQuantile(p *posteriors, noisy []int, o Options) (reading, error) {
	kappa := cmp.Or(o.Kappa, .3)
	if !(kappa > 0 && kappa <= 1) {
		return reading{}, fmt.Errorf("kappa is %v: use more than 0 and at most 1", kappa)
	}
	k := cmp.Or(o.Average, max(1, p.n/(100*p.c)))
	if k < 0 || k > p.n {
		return reading{}, fmt.Errorf("average is %d: use 1 to %d, the number of examples", k, p.n)
	}
	share := make([]float64, p.c)
	for _, y := range noisy {
		share[y] += 1 / float64(p.n)
	}
	all := newIndex(p.rows)
	r := newReading(p.c)
	r.warnings = absent(share, p.classes)
	for i, s := range share {
		r.rows[i] = nearestMean(all, r.anchorBelow(p, i, max(0, 1-kappa*s)), k)
	}
	return r, nil
}

// absent returns a warning for each class that is never given as a label.
func absent(share []float64, classes []string) (warnings []string) {
	for i, s := range share {
		if s == 0 {
			warnings = append(warnings, fmt.Sprintf("no example is labelled %s, so its row of T-hat is a guess: label some, or "+
				"leave the class out", classes[i]))
		}
	}
	return warnings
}

// nearestMean returns the mean of the k rows nearest to row x, x included.
func nearestMean(rows *index, x, k int) []float64 {
	mean := make([]float64, len(rows.rows[x]))
	for _, y := range rows.inOrder(rows.rows[x], k) {
		floats.Add(mean, rows.rows[y])
	}
	floats.Scale(1/float64(k), mean)
	return mean
}
