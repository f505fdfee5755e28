package estimators

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/losscorr/losscorr/correction"
)

var heldOutEntry = Entry{
	Name: "held-out", About: "vertices, recounted on the validation examples if their labels differ",
	Labels: true, Held: true, Beside: "class-quantile", estimate: estimateHeldOut,
}

// Constants of estimateHeldOut.
const (
	refuted    = .005 // T-hat is refuted if such different labels are less probable
	ownPseudo  = 10   // pseudo-examples from the row of a refuted T-hat
	leastShare = 1e-3 // least clean posterior of a class before normalisation
)

// estimateHeldOut checks vertices against Options.Held, the examples that the network was not trained on. A network
// that has memorized wrong labels agrees with them, so T-hat has too little noise; it cannot have memorized held-out
// labels:
//
//  1. Estimate T-hat by vertices.
//  2. Compare the labels counted at each vertex with those of an equal share of held-out examples nearest to it, by a
//     likelihood-ratio test of homogeneity (the G-test) over all vertices. If p is .005 or more, T-hat stays.
//  3. Otherwise count the held-out labels instead, with 10 pseudo-examples from the row of T-hat.
//  4. If that T has an inverse, fit it to all held-out labels by likelihood as [Refit] does, from the clean posteriors
//     p(ỹ|x) T^-1, whose entries are raised to .001 and then divided by their sum.
//
// The constants were chosen by the true T of runs on MNIST, IMDB and own data, with other seeds than in
// results/robust/held-out.csv. Without held-out examples the result equals vertices.
func estimateHeldOut(p *posteriors, noisy []int, o Options) (reading, error) {
	r, err := estimateVertices(p, noisy, o)
	if err != nil || len(o.Held) == 0 {
		return r, err
	}
	held := p.of(o.Held)
	given, unseen := make([]int, len(o.Held)), make([]bool, p.n)
	for k, x := range o.Held {
		given[k], unseen[x] = noisy[x], true
	}
	near := newIndex(held.rows)
	seen, counted := zeros(p.c), zeros(p.c)
	for i, vertex := range r.at {
		for _, x := range r.of(i) {
			if !unseen[x] {
				seen[i][noisy[x]]++
			}
		}
		for _, x := range near.inOrder(vertex, max(1, r.counted[i]*held.n/p.n)) {
			counted[i][given[x]]++
		}
	}
	r.near, r.counted = nil, nil // a later step may replace the counts
	if differ(seen, counted) >= refuted {
		return r, nil
	}
	t := r.matrix(p.classes)
	for i, row := range counted {
		for j := range row {
			row[j] += ownPseudo * t.At(i, j)
		}
	}
	r.rows = counted
	if t := held.refit(given, r.matrix(p.classes)); t != nil {
		r.rows = t.Rows()
	}
	return r, nil
}

// differ returns the probability that rows of counts differ at least as much as a and b if both are draws from the
// same distributions. It skips a row that is empty in one of them.
func differ(a, b [][]float64) float64 {
	g, freedom := 0., 0
	for i := range a {
		if floats.Sum(a[i]) == 0 || floats.Sum(b[i]) == 0 {
			continue
		}
		both := floats.AddTo(make([]float64, len(a[i])), a[i], b[i])
		floats.Scale(1/floats.Sum(both), both)
		freedom--
		for j, q := range both {
			if q > 0 {
				freedom++
			}
			for _, row := range [][]float64{a[i], b[i]} {
				if row[j] > 0 {
					g += 2 * row[j] * math.Log(row[j]/floats.Sum(row)/q)
				}
			}
		}
	}
	if freedom == 0 {
		return 1
	}
	return distuv.ChiSquared{K: float64(freedom)}.Survival(g)
}

// of returns the posteriors of the given examples.
func (p *posteriors) of(examples []int) *posteriors {
	some := &posteriors{n: len(examples), c: p.c, classes: p.classes}
	for _, x := range examples {
		some.log, some.rows = append(some.log, p.log[x]), append(some.rows, p.rows[x])
	}
	return some
}

// refit fits t to the labels; it returns nil if t has no inverse.
func (p *posteriors) refit(labels []int, t *correction.Matrix) *correction.Matrix {
	inverse, err := t.Inverse()
	if err != nil {
		return nil
	}
	g := make([]float32, p.n*p.c)
	var w mat.VecDense
	for x := range p.n {
		w.MulVec(inverse.T(), mat.NewVecDense(p.c, p.rows[x]))
		for k, share := range w.RawVector().Data {
			g[x*p.c+k] = float32(max(share, leastShare))
		}
	}
	_, t = fit(g, labels, t, float64(p.c), false)
	return t
}
