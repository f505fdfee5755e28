package estimators

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// shown is the evidence in nats that shows class-dependent mistakes. What networks have not learned looks like noise.
const shown = 8.

// Constants of the fits of [Estimation.Evidence].
const (
	lookedAt  = 100_000 // c times the number of examples that are looked at
	explains  = 30      // steps of the fit for each part of T-hat
	explained = 1e-3    // change of the scale at which it ends before
	wellKnown = .9
	mixed     = 500_000 // c^2 times the number of examples of which known is the mean
)

// shares are the shares s of T-hat that are tried.
var shares = []float64{.05, .1, .2, .3, .5, .7, 1}

// Evidence is what the given labels show of class-dependent mistakes.
type Evidence struct {
	// gain of the log likelihood over an explanation without mistakes; audits add the gain from random checks
	Nats  float64 `json:"nats"`
	Share float64 `json:"share"` // s of the best explanation, in [0, 1]
	// the networks are less than twice as sure of the surest examples as T-hat lets them be
	Open    bool `json:"open"`
	Learned bool `json:"learned"` // the networks have learned the mistakes themselves, so that Nats cannot show them
}

// Evidence compares explanations of the given labels by
//
//	p(ỹ|x) = sum over k of softmax(a z + b)_k (s T-hat + (1-s) I)_kỹ
//
// for s from 0 to 1, each with its best a and b. A label that was counted for a row of T-hat is explained by that row
// without it. Errors of networks become rarer the surer they are, while mistakes by T do not, so that only T-hat
// explains mistakes in examples that the networks are sure of. Of more than 100,000/c examples, evenly spaced ones are
// looked at.
//
// Networks that fit the given labels explain them without T as well. T-hat is Open, not refuted, if
// they are less than twice as sure of the surest examples as it lets them be. They have Learned the mistakes if they
// also know most examples: the largest weight of a row's posterior, in the likeliest mixture of them that an example's
// is, has a mean of .9 or more.
//
// logits are those that e was estimated from. Panics if they are not finite.
func (e *Estimation) Evidence(logits []float32) Evidence {
	p, err := newPosteriors(logits, e.T.Classes())
	if err != nil {
		panic(fmt.Sprintf("correction: %v", err))
	}
	step := max(1, p.n*p.c/lookedAt)
	columns := e.columns(p.n)
	s := newScale(p.c)
	without := e.explain(p, columns, 0, &s, step)
	noise := 1 - e.T.Trace()/float64(p.c)
	found := Evidence{Open: e.unsure(p, s) > noise/2}
	found.Learned = found.Open && e.known(p) >= wellKnown
	for _, share := range shares {
		if gain := float64(step) * (e.explain(p, columns, share, &s, step) - without); gain > found.Nats {
			found.Nats, found.Share = gain, share
		}
	}
	return found
}

// Shown reports whether labels are taken to go wrong by T-hat: the evidence is 8 nats or more, or the networks have
// learned the mistakes.
func (v Evidence) Shown() bool { return v.Learned || v.Nats >= shown }

// Probability returns the probability that there are class-dependent mistakes at all: 1 / (1 + exp(8 - Nats)), and 1 if
// the networks have learned them.
func (v Evidence) Probability() float64 {
	if v.Learned {
		return 1
	}
	return 1 / (1 + math.Exp(shown-v.Nats))
}

// Of returns the part of T-hat that the labels show: T-hat if they do, s T-hat + (1-s) I if not.
func (v Evidence) Of(t *correction.Matrix) *correction.Matrix {
	if v.Shown() {
		return t
	}
	rows := t.Rows()
	for i, row := range rows {
		floats.Scale(v.Share, row)
		row[i] += 1 - v.Share
	}
	return correction.Normalized(t.Classes(), rows)
}

// unsure returns the mean probability that the label of an example is another one than the likeliest, by posteriors of
// this scale: of the surest fifth of the examples that are counted for each row.
func (e *Estimation) unsure(p *posteriors, s scale) float64 {
	sum, n, g := 0., 0., make([]float64, p.c)
	for i, near := range e.Near {
		var rest []float64
		for _, x := range near[:e.Counted[i]] {
			s.posterior(g, p.row(x))
			rest = append(rest, 1-floats.Max(g))
		}
		slices.Sort(rest)
		surest := rest[:(len(rest)+4)/5]
		sum, n = sum+floats.Sum(surest), n+float64(len(surest))
	}
	return sum / max(1, n)
}

// known returns how much of the examples the networks know, see Evidence: of evenly spaced ones, as it takes c^2 for
// each.
func (e *Estimation) known(p *posteriors) float64 {
	rows := make([][]float64, p.c)
	for i, near := range e.Near {
		rows[i] = make([]float64, p.c)
		rows[i][i] = math.SmallestNonzeroFloat32 // of a class without counts
		for _, x := range near[:e.Counted[i]] {
			floats.Add(rows[i], p.probabilities(x))
		}
	}
	if e.Near == nil {
		return 0
	}
	at := correction.Normalized(e.T.Classes(), rows)
	sum, n := 0., 0.
	for x := 0; x < p.n; x += max(1, p.n*p.c*p.c/mixed) {
		sum += floats.Max(at.TrueShares(p.probabilities(x), mixingSteps))
		n++
	}
	return sum / n
}

// explain fits s to the given labels where a share of T-hat's mistakes is made, and returns their log likelihood.
func (e *Estimation) explain(p *posteriors, columns []float64, share float64, s *scale, step int) (likelihood float64) {
	var sums [explainers]float64
	var moves [explainers]*rescaling
	n := (p.n + step - 1) / step
	for range explains {
		var all sync.WaitGroup
		for part := range explainers {
			all.Go(func() {
				from, to := part*n/explainers*step, (part+1)*n/explainers*step
				moves[part], sums[part] = e.explainPart(p, columns, share, s, from, to, step)
			})
		}
		all.Wait()
		by := newRescaling(p.c)
		for _, m := range moves {
			by.plus(m)
		}
		likelihood = floats.Sum(sums[:])
		if s.move(by) <= explained {
			break
		}
	}
	return likelihood
}

// explainers is a fixed number of parts, so that sums are the same on every machine.
const explainers = 8

func (e *Estimation) explainPart(p *posteriors, columns []float64, share float64, s *scale, from, to,
	step int) (by *rescaling, likelihood float64) {
	g, r, column := make([]float64, p.c), make([]float64, p.c), make([]float64, p.c)
	by = newRescaling(p.c)
	for x := from; x < to; x += step {
		log, y := p.row(x), e.Noisy[x]
		s.posterior(g, log)
		floats.ScaleTo(column, share, columns[x*p.c:(x+1)*p.c])
		column[y] += 1 - share
		likelihood += math.Log(correction.Given(r, g, column))
		by.add(r, g, log)
	}
	return by, likelihood
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
