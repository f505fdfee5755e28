package judging

import (
	"cmp"
	"fmt"
	"math"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

const (
	surety    = 2.   // factor of the log odds in w_E
	accidents = .01  // share of wrong labels that T need not know of
	anything  = .02  // share of labels that are any class, in the ranking by T
	perNat    = 10.  // how much evidence per label lowers pi
	leastG    = 1e-9 // of a clean posterior
	leastW    = 1e-4 // of w, and of 1 - w
)

// Model holds the probabilities of both kinds of mistakes for each of N labels, computed without any checked label.
type Model struct {
	ClassDependent    []float64 // w_T
	InstanceDependent []float64 // w_E
	Pi                float64   // the prior mean of the share of instance-dependent mistakes

	labels []int
	g      []float32
	t      *correction.Matrix
	odds   []float64 // of a wrong label by T with accidents, for the ranking
}

// New computes both probabilities from clean posteriors g [N C] of networks that have not seen the example, T, and the
// evidence for it.
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
		accident := accidents / float64(c-1) * others
		m.ClassDependent[x] = max(m.ClassDependent[x], accident/max((1-accidents)*own+accident, leastG*leastG))
		m.InstanceDependent[x] = 1 / (1 + math.Pow(max(own, leastG)/max(other, leastG), surety))
		m.odds[x] = ((1-anything)*by + anything/float64(c)*others) / max(((1-anything)*column[y]+anything/float64(c))*own,
			leastG*leastG)
	}
	return m, nil
}

// RankedBy returns the model with the ranking of another one of the same labels.
func (m *Model) RankedBy(other *Model) *Model {
	ranked := *m
	ranked.odds = other.odds
	return &ranked
}

// Consensus is the model of labels that are the consensus of several people's answers, with probabilities q [N C] of
// the classes: w_T is 1 - q_y. w_E is as in [New], from the posteriors of networks, and w_T without networks (nil).
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
