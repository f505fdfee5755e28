package correction

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// WrongShares returns, for each label j, the share of all examples with that label and another true class. share[j]
// is P(ỹ=j):
//
//	P(y≠j, ỹ=j) = P(ỹ=j) - pi_j T_jj
//
// where pi is the result of TrueShares.
func (m *Matrix) WrongShares(share []float64) []float64 {
	wrong := slices.Clone(share)
	for j, pi := range m.TrueShares(share, 2000) {
		wrong[j] = max(0, wrong[j]-pi*m.At(j, j))
	}
	return wrong
}

// TrueShares returns the likeliest shares pi of the true classes, given the shares of the noisy labels, by
// expectation maximisation:
//
//	pi_i <- sum over j of share_j P(y=i | ỹ=j),    P(y=i | ỹ=j) = pi_i T_ij / (sum over k of pi_k T_kj)
//
// in at most the given number of steps. The result is share T^-1 if that has no negative entry, but T need not be
// invertible.
func (m *Matrix) TrueShares(share []float64, steps int) []float64 {
	const tolerance = 1e-9
	c, columns := m.Dim(), m.ByLabel()
	pi := slices.Repeat([]float64{1 / float64(c)}, c)
	r, next := make([]float64, c), make([]float64, c)
	for range steps {
		clear(next)
		for j, s := range share {
			Bayes(r, pi, columns.RawRowView(j))
			floats.AddScaled(next, s, r)
		}
		sum := floats.Sum(next)
		if !(sum > 0) { // the rows rule the shares out
			break
		}
		floats.Scale(1/sum, next)
		moved := floats.Distance(pi, next, 1)
		copy(pi, next)
		if moved < tolerance {
			break
		}
	}
	return pi
}
