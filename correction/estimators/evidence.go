package estimators

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// LeastEvidence is the gain of the log likelihood from which on there are wrong labels.
const LeastEvidence = 8.

// Constants of Doubt and of the evidence that it needs.
const (
	someEvidence = .5        // gain that right labels seldom have
	muchNoise    = .4        // of 1 - 1/c, the share of wrong labels if labels said nothing
	wellKnown    = .9        // Known of networks that know most examples
	doubted      = .05       // the part of T-hat's wrong labels that is left without it
	lookedAt     = 1_000_000 // c times the number of examples that are looked at
	explains     = 30        // steps of the fit for each part of the way
	explained    = 1e-3      // change of the scale at which it ends before
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
// learned the noise, and say nothing against it. Or they are those of networks that are hardly sure of any
// example, as of short texts. So T-hat becomes the same where it says that at least .4 times as many labels are
// wrong as if labels said nothing, but the labels do not show any (Evidence below .5), and the networks know
// few examples ([Estimation.Known] below .9). Then it may be right all the same, and is kept as e.Unproven: on
// reviews of which one class loses labels it ranks them far better than what is left of it.
//
// logits are those that e was estimated from. It reports whether it did so, and does nothing where rows are not
// counts, or T was fitted to labels that show it.
func (e *Estimation) Doubt(logits []float32) bool {
	if e.Near == nil || e.Fitted {
		return false
	}
	p := e.read(logits)
	gain, none := e.evidence(p)
	noise := 1 - e.T.Trace()/float64(p.c)
	surer := gain < LeastEvidence && e.unsure(p, none) <= noise/2
	unknown := gain < someEvidence && noise >= muchNoise*(1-1/float64(p.c)) && e.Known(logits) < wellKnown
	if !surer && !unknown {
		return false
	}
	if !surer {
		e.Unproven = e.T
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
//	p(ỹ|x) = sum over k of softmax(a z + b)_k (s T-hat + (1-s) I)_kỹ
//
// for s from .05 to 1 over s = 0, each with its best a and b. A label that was counted for a row of
// T-hat is judged by that row without it. Without wrong labels, errors of networks become rarer the surer
// they are; with wrong labels, they do not, and only T-hat explains the ones on examples of which the networks are
// sure. b is needed as a network that learns from labels of which one class loses more than the other takes the
// other for likelier. It needs rows of counts. logits are those that e was estimated from. Panics if they are
// not finite.
func (e *Estimation) Evidence(logits []float32) float64 {
	gain, _ := e.evidence(e.read(logits))
	return gain
}

// Shown reports whether the given labels show that some are wrong: by Evidence of 8 or more, or because T was fitted to
// labels that do. Of rows that are not counts it is not known, and taken to be so.
func (e *Estimation) Shown(logits []float32) bool {
	return e.Near == nil || e.Fitted || e.Evidence(logits) >= LeastEvidence
}

// read takes the logits that e was estimated from.
func (e *Estimation) read(logits []float32) *posteriors {
	p, err := newPosteriors(logits, e.T.Classes())
	if err != nil {
		panic(fmt.Sprintf("correction: %v", err))
	}
	return p
}

// evidence returns Evidence and the best scale without wrong labels.
func (e *Estimation) evidence(p *posteriors) (gain float64, none scale) {
	columns := e.columns(p.n)
	none = newScale(p.c)
	without := e.explain(p, columns, 0, &none)
	best, some := math.Inf(-1), scale{none.a, slices.Clone(none.b)}
	for _, part := range parts {
		best = max(best, e.explain(p, columns, part, &some))
	}
	return best - without, none
}

// explain fits s to the given labels where a part of T-hat's labels is wrong, and returns their log likelihood.
func (e *Estimation) explain(p *posteriors, columns []float64, part float64, s *scale) (likelihood float64) {
	c := p.c
	g, r := make([]float64, c), make([]float64, c)
	for range explains {
		likelihood = 0
		by := newRescaling(c)
		for x := 0; x < p.n; x += max(1, p.n*c/lookedAt) {
			log, y := p.row(x), e.Noisy[x]
			s.posterior(g, log)
			for k, v := range g {
				r[k] = part * v * columns[x*c+k]
			}
			r[y] += (1 - part) * g[y]
			q := max(floats.Sum(r), math.SmallestNonzeroFloat32)
			likelihood += math.Log(q)
			floats.Scale(1/q, r)
			by.add(r, g, log)
		}
		if s.move(by) <= explained {
			break
		}
	}
	return likelihood
}

// unsure returns the mean probability that the label of an example is another one than the likeliest, by
// posteriors of this scale: of the surest fifth of the examples that are counted for each row.
func (e *Estimation) unsure(p *posteriors, s scale) float64 {
	sum, n := 0., 0.
	g := make([]float64, p.c)
	for i, near := range e.Near {
		var rest []float64
		for _, x := range near[:e.Counted[i]] {
			s.posterior(g, p.row(x))
			rest = append(rest, 1-floats.Max(g))
		}
		if len(rest) == 0 {
			continue
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
