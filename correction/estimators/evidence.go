package estimators

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// shownNats is the evidence that proves class-dependent mistakes. It is high because classes that networks have not
// learned look like noise.
const shownNats = 8.

// Constants of the fits of [Estimation.Evidence].
const (
	fitValues       = 100_000 // c times the number of examples in a fit
	highCertainty   = .9
	certaintyValues = 500_000 // c^2 times the number of examples in certainty
)

// shares are the values of s to try.
var shares = []float64{.05, .1, .2, .3, .5, .7, 1}

// Evidence measures how strongly the given labels speak for class-dependent mistakes.
type Evidence struct {
	// gain of the log likelihood over an explanation without mistakes; audits add the gain from random checks
	Nats  float64 `json:"nats"`
	Share float64 `json:"share"` // s of the best explanation, in [0, 1]
	// the networks are less than twice as sure of the surest examples as T-hat allows
	Open    bool `json:"open"`
	Learned bool `json:"learned"` // the networks have learned the mistakes themselves, so Nats cannot show them
}

// Evidence compares explanations of the given labels by
//
//	p(ỹ|x) = sum over k of softmax(a z + b)_k (s T-hat + (1-s) I)_kỹ
//
// for s from 0 to 1, each with its best a and b ([Forward], without priors). An s above 0 has to gain more than 1 nat,
// Akaike's price of a parameter. A label that was counted for a row of T-hat is removed from the row that explains it.
// Networks err less often the surer they are, but mistakes by T do not become rarer, so only T-hat explains mistakes in
// examples that the networks are sure of. Beyond 100,000/c examples, evenly spaced ones are used.
//
// Networks that have fitted the wrong labels explain them without T. So T-hat is Open instead of refuted if the
// networks are less than twice as sure of the surest examples as it allows. They have Learned the mistakes if they
// are also sure of most examples: an example's posterior is decomposed into the likeliest mixture of the rows'
// posteriors, and the largest weight has a mean of .9 or more.
//
// logits have to be the ones that e was estimated from. Panics if they are not finite.
func (e *Estimation) Evidence(logits []float32) Evidence {
	p, err := newPosteriors(logits, e.T.Classes())
	if err != nil {
		panic(fmt.Sprintf("correction: %v", err))
	}
	columns, likelihoods := e.columns(p.n), make([]float64, len(logits))
	f := Forward{Terms: [][]float32{logits}, C: p.c, Step: max(1, p.n*p.c/fitValues),
		Label: func(x int) []float64 { return likelihoods[x*p.c : (x+1)*p.c] }}
	explain := func(share float64) (x []float64, likelihood float64) {
		floats.ScaleTo(likelihoods, share, columns)
		for x, y := range e.noisy {
			likelihoods[x*p.c+y] += 1 - share
		}
		x, loss := f.Minimize()
		return x, -loss * float64(f.Step*f.examples())
	}
	x, without := explain(0)
	noise := 1 - e.T.Trace()/float64(p.c)
	found := Evidence{Open: e.unsure(f.Posteriors(x)) > noise/2}
	found.Learned = found.Open && e.certainty(p) >= highCertainty
	for _, share := range shares {
		if _, likelihood := explain(share); likelihood-without > max(found.Nats, 1) {
			found.Nats, found.Share = likelihood-without, share
		}
	}
	return found
}

// Shown reports whether T-hat explains mistakes in the labels: the evidence is 8 nats or more, or the networks have
// learned the mistakes.
func (v Evidence) Shown() bool { return v.Learned || v.Nats >= shownNats }

// Probability returns the probability that class-dependent mistakes exist at all: 1 / (1 + exp(8 - Nats)), or 1 if
// the networks have learned them.
func (v Evidence) Probability() float64 {
	if v.Learned {
		return 1
	}
	return 1 / (1 + math.Exp(shownNats-v.Nats))
}

// Of returns the part of T-hat that the evidence supports: T-hat if it is Shown, otherwise s T-hat + (1-s) I.
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

// unsure returns the mean of 1 - max g over the surest fifth of the examples counted for each row.
func (e *Estimation) unsure(g []float32) float64 {
	sum, n, c := 0., 0., e.T.Dim()
	for i := range c {
		var rest []float64
		for _, x := range e.of(i) {
			rest = append(rest, 1-float64(slices.Max(g[x*c:(x+1)*c])))
		}
		slices.Sort(rest)
		surest := rest[:(len(rest)+4)/5]
		sum, n = sum+floats.Sum(surest), n+float64(len(surest))
	}
	return sum / max(1, n)
}

// certainty returns the mean largest weight defined in Evidence, over evenly spaced examples because each costs c^2.
func (e *Estimation) certainty(p *posteriors) float64 {
	if e.near == nil {
		return 0
	}
	rows := zeros(p.c)
	for i, row := range rows {
		row[i] = math.SmallestNonzeroFloat32 // for a class without counts
		for _, x := range e.of(i) {
			floats.Add(row, p.rows[x])
		}
	}
	at := correction.Normalized(e.T.Classes(), rows)
	sum, n := 0., 0.
	for x := 0; x < p.n; x += max(1, p.n*p.c*p.c/certaintyValues) {
		sum += floats.Max(at.TrueShares(p.rows[x], mixingSteps))
		n++
	}
	return sum / n
}

// columns returns, row by row, the column of each example's given label in T-hat, without the label itself if it was
// counted.
func (e *Estimation) columns(n int) []float64 {
	c := e.T.Dim()
	out, byLabel := make([]float64, n*c), e.T.ByLabel()
	for x, y := range e.noisy {
		copy(out[x*c:], byLabel.RawRowView(y))
	}
	for i := range c {
		sum := float64(len(e.of(i))) + e.pseudo
		for _, x := range e.of(i) {
			if sum > 1 {
				out[x*c+i] = max(0, e.T.At(i, e.noisy[x])*sum-1) / (sum - 1)
			}
		}
	}
	return out
}
