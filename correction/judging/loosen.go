package judging

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Loosen's mixtures of T with equal chances of all classes.
var (
	looser   = []float64{.001, .003, .01} // that are compared with T by likelihood
	rankedBy = .05                        // that labels are ranked by where one of them is likelier
)

// Loosen ranks labels by T mixed with equal chances of all classes,
//
//	T' = .95 T + .05 / c
//
// if a mixture of .1, .3 or 1 % explains the given labels better than T: the sum of log g T'[.][ỹ] is
// larger. T-hat is read off the typical examples of each class, and people give the hard ones
// labels that T calls nearly impossible, so that the ranking by T puts some of them far behind. Where labels
// go wrong as T says, no mixture is likelier and nothing changes.
// It reports whether it did. Wrong and Suggested stay.
func (a *Audited) Loosen() bool {
	c := a.t.Dim()
	columns := a.t.Dense().T()
	likelihood := make([]float64, 1+len(looser))
	row := make([]float64, c)
	for x, given := range a.given {
		for k, v := range a.g[x*c : (x+1)*c] {
			row[k] = float64(v)
		}
		floats.Scale(1/floats.Sum(row), row)
		q := 0.
		for k, v := range row {
			q += columns.At(given, k) * v
		}
		for k := range likelihood {
			mixed := q
			if k > 0 {
				mixed = (1-looser[k-1])*q + looser[k-1]/float64(c)
			}
			likelihood[k] += math.Log(max(mixed, math.SmallestNonzeroFloat32))
		}
	}
	if floats.Max(likelihood[1:]) <= likelihood[0] {
		return false
	}
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
	return true
}
