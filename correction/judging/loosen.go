package judging

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// Mixtures of T with equal chances of all classes.
var (
	looser   = []float64{.001, .003, .01} // that are compared with T by likelihood
	rankedBy = .05                        // that labels are ranked by where one of them is likelier
	clearly  = 1.                         // gain of the log likelihood that counts
)

// Loose reports whether a mixture of T with equal chances of all classes explains the given labels
// better than T: the sum of log g T'[.][ỹ], with g [N C] of networks that have not seen the examples, is
// larger by 1 or more with .1, .3 or 1 % in the mixture. T-hat is read off the typical examples of
// each class, and people give the hard ones labels that T calls nearly impossible. Where labels go wrong
// as T says, mostly no mixture is likelier. Of two classes, whose wrong labels are all of one kind, none
// is rare.
func Loose(g []float32, labels []int, t *correction.Matrix) bool {
	c := t.Dim()
	if c == 2 {
		return false
	}
	columns := t.Dense().T()
	likelihood := make([]float64, 1+len(looser))
	for x, given := range labels {
		q, sum := 0., 0.
		for k, v := range g[x*c : (x+1)*c] {
			q += columns.At(given, k) * float64(v)
			sum += float64(v)
		}
		q /= sum
		likelihood[0] += math.Log(max(q, math.SmallestNonzeroFloat32))
		for k, share := range looser {
			likelihood[1+k] += math.Log((1-share)*q + share/float64(c))
		}
	}
	return floats.Max(likelihood[1:]) >= likelihood[0]+clearly
}

// Loosen ranks labels by T mixed with equal chances of all classes,
//
//	T' = .95 T + .05 / c
//
// which does not put a label that T calls nearly impossible far behind all others. It is for labels that
// are Loose. Wrong and Suggested stay. It does nothing after
// SelfConfidence, which ranks without T.
func (a *Audited) Loosen() {
	if a.t == nil {
		return
	}
	c := a.t.Dim()
	columns := a.t.Dense().T()
	for x, given := range a.given {
		own, others := 0., 0.
		for k, v := range a.g[x*c : (x+1)*c] {
			joint := ((1-rankedBy)*columns.At(given, k) + rankedBy/float64(c)) * float64(v)
			if k == given {
				own = joint
			} else {
				others += joint
			}
		}
		a.odds[x] = own / others
	}
}
