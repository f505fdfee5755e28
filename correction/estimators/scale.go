package estimators

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// scale makes posteriors g surer or less sure, and classes likelier or less likely:
//
//	p_k = softmax(a log g + b)_k
type scale struct {
	a float64
	b []float64 // nil: all 0
}

const mostSure = 10 // a, and its inverse

func newScale(c int) scale { return scale{a: 1, b: make([]float64, c)} }

// posterior sets p from logarithms of g.
func (s scale) posterior(p, log []float64) {
	floats.ScaleTo(p, s.a, log)
	if s.b != nil {
		floats.Add(p, s.b)
	}
	correction.SoftmaxInPlace(p)
}

// rescaling is what examples say of a scale: r are the probabilities of their classes when their labels are
// known, too, and p those before.
type rescaling struct {
	slope, curvature float64   // of the log likelihood, by a
	known, before    []float64 // sums of r and of p; nil where b is
}

func newRescaling(c int) *rescaling {
	return &rescaling{known: make([]float64, c), before: make([]float64, c)}
}

func (s *rescaling) add(r, p, log []float64) {
	mean, square := 0., 0.
	for k, v := range p {
		s.slope += (r[k] - v) * log[k]
		if s.known != nil {
			s.known[k] += r[k]
			s.before[k] += v
		}
		mean += v * log[k]
		square += v * log[k] * log[k]
	}
	s.curvature += square - mean*mean
}

// plus adds what other examples say.
func (s *rescaling) plus(o *rescaling) {
	s.slope += o.slope
	s.curvature += o.curvature
	floats.Add(s.known, o.known)
	floats.Add(s.before, o.before)
}

// move is a step of Newton's method in a, and one of iterative scaling (Darroch and Ratcliff, 1972) in b,
// to which an imagined example of each class belongs. It returns the largest change.
func (s *scale) move(by *rescaling) (change float64) {
	if by.curvature > 0 {
		a := min(max(s.a+by.slope/by.curvature, s.a/2, 1./mostSure), 2*s.a, mostSure)
		change, s.a = math.Abs(a-s.a), a
	}
	for k := range s.b {
		step := math.Log((by.known[k] + 1) / (by.before[k] + 1))
		change = max(change, math.Abs(step))
		s.b[k] += step
	}
	if s.b != nil {
		floats.AddConst(-floats.Sum(s.b)/float64(len(s.b)), s.b)
	}
	return change
}
