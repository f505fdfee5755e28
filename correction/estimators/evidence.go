package estimators

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Constants of Doubt and of the evidence that it needs.
const (
	leastEvidence = 8.        // gain of the log likelihood for which there are wrong labels
	doubted       = .05       // the part of T-hat's wrong labels that is left without it
	lookedAt      = 3_000_000 // c times the number of examples that are looked at
	temperatures  = 31        // from exp(-1.5) to exp(1.5)
)

// parts are those of the way from the identity to T-hat that are tried.
var parts = []float64{.05, .1, .2, .3, .5, .7, .85, 1}

// Doubt takes back most of what T-hat says of wrong labels if the given labels do not show that there are
// any: where clean labels explain them about as well (Evidence below 8), although the networks are at least
// twice as sure of the surest examples as T-hat lets them be, T-hat becomes
//
//	.95 I + .05 T-hat
//
// What networks do not know looks like wrong labels, and with few examples a good part of what is
// counted is that. Posteriors that no example brings nearer to 1 than T-hat does are those of networks that have
// learned the noise, and say nothing against it. logits are those that e was estimated from. It reports whether it did so, and does nothing
// where rows are not counts.
func (e *Estimation) Doubt(logits []float32) bool {
	if e.Near == nil {
		return false
	}
	gain, temperature := e.evidence(logits)
	if gain >= leastEvidence || e.unsure(logits, temperature) > (1-e.T.Trace()/float64(e.T.Dim()))/2 {
		return false
	}
	rows := e.T.Rows()
	for i, row := range rows {
		floats.Scale(doubted, row)
		row[i] += 1 - doubted
	}
	e.T = (&reading{rows: rows}).matrix(e.T.Classes())
	return true
}

// Evidence returns by how much the log likelihood of the given labels is higher with wrong labels than
// without any: the largest of the gains of
//
//	p(ỹ|x) = sum over k of softmax(z / temperature)_k (s T-hat + (1-s) I)_kỹ
//
// for s from .05 to 1 over s = 0, each with its best temperature. A label that was counted for a row of
// T-hat is judged by that row without it. Without wrong labels, errors of networks become rarer the surer
// they are; with wrong labels, they do not, and only T-hat explains the ones on examples of which the networks are
// sure. It needs rows of counts. logits are those that e was estimated from. Panics if they are not finite.
func (e *Estimation) Evidence(logits []float32) float64 {
	gain, _ := e.evidence(logits)
	return gain
}

// evidence returns Evidence and the best temperature without wrong labels.
func (e *Estimation) evidence(logits []float32) (gain, temperature float64) {
	c := e.T.Dim()
	p, err := newPosteriors(logits, e.T.Classes())
	if err != nil {
		panic(fmt.Sprintf("correction: %v", err))
	}
	columns := e.columns(p.n)
	step := max(1, p.n*c/lookedAt)
	none, some := make([]float64, temperatures), make([][]float64, len(parts))
	for s := range some {
		some[s] = make([]float64, temperatures)
	}
	g := make([]float64, c)
	scale := func(k int) float64 { return math.Exp(1.5 - 3*float64(k)/(temperatures-1)) }
	for k := range temperatures {
		for x := 0; x < p.n; x += step {
			floats.ScaleTo(g, scale(k), p.row(x))
			floats.AddConst(-floats.LogSumExp(g), g)
			own, any := math.Exp(g[e.Noisy[x]]), 0.
			for j, v := range g {
				any += math.Exp(v) * columns[x*c+j]
			}
			none[k] += math.Log(max(own, math.SmallestNonzeroFloat32))
			for s, part := range parts {
				some[s][k] += math.Log(max((1-part)*own+part*any, math.SmallestNonzeroFloat32))
			}
		}
	}
	best := math.Inf(-1)
	for _, values := range some {
		best = max(best, top(values))
	}
	return best - top(none), 1 / scale(floats.MaxIdx(none))
}

// unsure returns the mean probability that the label of an example is another one than the likeliest, by
// posteriors of this temperature: of the surest fifth of the examples that are counted for each row.
func (e *Estimation) unsure(logits []float32, temperature float64) float64 {
	c := e.T.Dim()
	sum, n := 0., 0.
	g := make([]float64, c)
	for i, near := range e.Near {
		var rest []float64
		for _, x := range near[:e.Counted[i]] {
			for k, z := range logits[x*c : (x+1)*c] {
				g[k] = float64(z) / temperature
			}
			rest = append(rest, 1-math.Exp(floats.Max(g)-floats.LogSumExp(g)))
		}
		slices.Sort(rest)
		surest := rest[:max(1, len(rest)/5)]
		sum += floats.Sum(surest)
		n += float64(len(surest))
	}
	return sum / n
}

// columns returns, for each example, the column of its given label in T-hat, row by row: without the
// label itself where it was counted.
func (e *Estimation) columns(n int) []float64 {
	c := e.T.Dim()
	out := make([]float64, n*c)
	for x, y := range e.Noisy {
		for k := range c {
			out[x*c+k] = e.T.At(k, y)
		}
	}
	for i, near := range e.Near {
		sum := float64(e.Counted[i]) + e.Imagined
		for _, x := range near[:e.Counted[i]] {
			if sum > 1 {
				out[x*c+i] = max(0, e.T.At(i, e.Noisy[x])*sum-1) / (sum - 1)
			}
		}
	}
	return out
}

// top returns the maximum of a curve at evenly spaced points, between them by a parabola.
func top(values []float64) float64 {
	k := floats.MaxIdx(values)
	if k == 0 || k == len(values)-1 || values[k-1]+values[k+1] == 2*values[k] {
		return values[k]
	}
	left, right := values[k-1]-values[k], values[k+1]-values[k]
	return values[k] - (right-left)*(right-left)/(8*(left+right))
}
