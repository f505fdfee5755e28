package judging

import (
	"cmp"
	"fmt"
	"math"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

const (
	oddsFactor   = 2.   // factor of the log odds in w_E
	accidentRate = .01  // share of wrong labels outside of T
	uniformShare = .02  // share of uniformly random labels in the ranking by T
	perNat       = 10.  // how strongly evidence per label lowers pi
	leastG       = 1e-9 // least clean posterior
	leastW       = 1e-4 // least w and 1 - w
)

// Model holds the probabilities of both kinds of mistakes for each of N labels, computed without checked labels.
type Model struct {
	ClassDependent    []float64 // w_T
	InstanceDependent []float64 // w_E
	Pi                float64   // the prior mean of the share of instance-dependent mistakes

	labels []int
	g      []float32
	t      *correction.Matrix
	odds   []float64 // odds of a wrong label by T with random labels, for the ranking
}

// New computes both probabilities from clean posteriors g [N C] of networks that have not seen the example, from T,
// and from the evidence for T.
//
// It is an error if g is not N x C, is negative or not finite, or a label is out of range.
func New(g []float32, labels []int, t *correction.Matrix, evidence estimators.Evidence) (*Model, error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c {
		return nil, fmt.Errorf("judging: %d posteriors for %d labels of %d classes", len(g), n, c)
	}
	err := cmp.Or(correction.CheckLabels("given label", labels, c), correction.CheckPosteriors(g, t.Classes()))
	if err != nil {
		return nil, fmt.Errorf("judging: %w", err)
	}
	m := &Model{
		ClassDependent: make([]float64, n), InstanceDependent: make([]float64, n), odds: make([]float64, n),
		Pi: 1 / (2 + perNat*evidence.Nats/float64(n)), labels: labels, g: g, t: t,
	}
	rho := evidence.Probability()
	columns := t.ByLabel()
	for x, y := range labels {
		row, column := g[x*c:(x+1)*c], columns.RawRowView(y)
		others, by, other := 0., 0., 0.
		for k, v := range row {
			if p := float64(v); k != y {
				others, by, other = others+p, by+column[k]*p, max(other, p)
			}
		}
		own := float64(row[y])
		if joint := by + column[y]*own; joint > 0 {
			m.ClassDependent[x] = rho * by / joint
		}
		accident := accidentRate / float64(c-1) * others
		m.ClassDependent[x] = max(m.ClassDependent[x], accident/max((1-accidentRate)*own+accident, leastG*leastG))
		m.InstanceDependent[x] = 1 / (1 + math.Pow(max(own, leastG)/max(other, leastG), oddsFactor))
		m.odds[x] = ((1-uniformShare)*by + uniformShare/float64(c)*others) /
			max(((1-uniformShare)*column[y]+uniformShare/float64(c))*own, leastG*leastG)
	}
	return m, nil
}

// RankedBy returns a copy of m that ranks the labels as other does, a model of the same labels.
func (m *Model) RankedBy(other *Model) *Model {
	ranked := *m
	ranked.odds = other.odds
	return &ranked
}

// Consensus returns the model of labels that several people agreed on, with class probabilities q [N C]. w_T is 1 -
// q_y. w_E comes from the posteriors of networks as in [New]; it equals w_T if networks is nil.
func Consensus(q, networks []float32, labels []int, classes []string) (*Model, error) {
	identity, err := correction.Identity(classes)
	if err != nil {
		return nil, err
	}
	by := networks
	if by == nil {
		by = q
	}
	m, err := New(by, labels, identity, estimators.Evidence{})
	if err != nil {
		return nil, err
	}
	if len(q) != len(by) {
		return nil, fmt.Errorf("judging: %d probabilities of a consensus and %d posteriors", len(q), len(by))
	}
	c := len(classes)
	m.g = q
	for x, y := range labels {
		own := float64(q[x*c+y])
		m.ClassDependent[x], m.odds[x] = 1-own, (1-own)/max(own, leastG)
	}
	if networks == nil {
		copy(m.InstanceDependent, m.ClassDependent)
	}
	return m, nil
}
