package estimators

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
)

const (
	fewestCounted = rareLabels // labels of a row of T: at half of them wrong, an entry has a standard error of .11
	mixtures      = 2_500_000  // c^2 times the number of examples that Known looks at
)

// Small returns the classes whose row of T-hat counts fewer than 20 labels: its entries
// have standard errors up to .11 and more. Those that are [Rare] count none, and are left out.
// It is empty for an estimator that counts none.
func (e *Estimation) Small() []int {
	var small []int
	for i, k := range e.Counted {
		if 0 < k && k < fewestCounted {
			small = append(small, i)
		}
	}
	return small
}

// Known returns the mean over examples, or over evenly spaced ones of many, of the largest
// weight in the mixture of the rows' own posteriors that is the likeliest one: how much of the examples
// the network knows. logits are those that e was estimated from. Panics if they are not finite.
func (e *Estimation) Known(logits []float32) float64 {
	c := e.T.Dim()
	p, err := newPosteriors(logits, e.T.Classes())
	if err != nil {
		panic(fmt.Sprintf("correction: %v", err))
	}
	step := max(1, p.n*c*c/mixtures)
	sum, n := 0., 0.
	for x := 0; x < p.n; x += step {
		sum += floats.Max(e.at.TrueShares(p.probabilities(x), mixingSteps))
		n++
	}
	return sum / n
}

// Recount returns T-hat of a sample that has each example so many times. It needs rows of
// counts.
func (e *Estimation) Recount(times []int) *correction.Matrix {
	c := e.T.Dim()
	r := reading{rows: zeros(c)}
	var none []int
	for i, near := range e.Near {
		left := e.Counted[i]
		for _, x := range near {
			k := min(left, times[x])
			r.rows[i][e.Noisy[x]] += float64(k)
			if left -= k; left == 0 {
				break
			}
		}
		if left == e.Counted[i] { // no example near the row was drawn
			none = append(none, i)
		}
	}
	r.imagine(e.Imagined, e.Imagined)
	for _, i := range none {
		r.rows[i] = slices.Clone(e.T.Row(i))
	}
	return r.matrix(e.T.Classes())
}

// Mixture returns R [c c]: the mean clean posterior of the examples that each row counts; a class without
// counts is taken as known. g holds p(y|x), N x c row by row.
func (e *Estimation) Mixture(g []float32) *mat.Dense {
	c := e.T.Dim()
	r := mat.NewDense(c, c, nil)
	for i, near := range e.Near {
		if e.Counted[i] == 0 {
			r.Set(i, i, 1)
		}
		for _, x := range near[:e.Counted[i]] {
			for k, v := range g[x*c : (x+1)*c] {
				r.Set(i, k, r.At(i, k)+float64(v)/float64(e.Counted[i]))
			}
		}
	}
	return r
}
