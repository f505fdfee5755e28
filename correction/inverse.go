package correction

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// manyClasses is the number of classes above which the condition number comes from the
// inverse: for 1,000 classes in a tenth of the time.
const manyClasses = 500

// Condition returns cond(T) in the spectral norm, the ratio of the largest to
// the smallest singular value: 1 for the identity, +Inf for a singular matrix. For more
// than 500 classes it comes from the inverse and is right to 1 %.
// It bounds the factor by which backward correction can amplify errors.
func (m *Matrix) Condition() float64 {
	_, cond := m.invert()
	return cond
}

// Inverse returns the inverse of T, which backward correction needs. Its rows
// sum to 1 as those of T do, but its entries may be negative.
//
// It is an error if T is singular or Condition exceeds MaxCondition.
func (m *Matrix) Inverse() (*mat.Dense, error) {
	switch inverse, cond := m.invert(); {
	case math.IsInf(cond, 1):
		return nil, errors.New("correction: invert transition matrix: it is singular")
	case cond > MaxCondition:
		return nil, fmt.Errorf("correction: invert transition matrix: condition number %.3g exceeds %.0e", cond, MaxCondition)
	default:
		return inverse, nil
	}
}

// Invertible reports why a loss that needs the inverse of T, or a volume of T above 0,
// cannot be made, and what to do.
func (m *Matrix) Invertible() error {
	if _, err := m.Inverse(); err != nil {
		return fmt.Errorf("%w: use forward correction, which needs no inverse", err)
	}
	return nil
}

// invert returns the inverse of T and its condition number, +Inf if T is singular: its smallest singular value
// then comes out as rounding.
func (m *Matrix) invert() (inverse *mat.Dense, cond float64) {
	const epsilon = 0x1p-52
	inverse = &mat.Dense{}
	err := inverse.Inverse(m.t)
	switch exact := mat.Condition(0); {
	case m.Dim() <= manyClasses:
		cond = mat.Cond(m.t, 2)
	case errors.As(err, &exact) && math.IsInf(float64(exact), 1): // there is no inverse
		return nil, math.Inf(1)
	default:
		cond = spectralNorm(m.t) * spectralNorm(inverse)
	}
	if math.IsNaN(cond) || cond > 1/(epsilon*float64(m.Dim())) {
		return nil, math.Inf(1)
	}
	return inverse, cond
}

// spectralNorm returns the largest singular value of a matrix by power iteration on
// a^T a: v becomes a^T a v, normalised, until |a v| grows by less than a millionth.
func spectralNorm(a *mat.Dense) float64 {
	rows, columns := a.Dims()
	rng := rand.New(rand.NewPCG(1, 0))
	v, u := mat.NewVecDense(columns, nil), mat.NewVecDense(rows, nil)
	for k := range columns {
		v.SetVec(k, rng.NormFloat64())
	}
	v.ScaleVec(1/mat.Norm(v, 2), v)
	last := 0.
	for range 300 {
		u.MulVec(a, v)
		length := mat.Norm(u, 2)
		if math.IsNaN(length) || length-last <= 1e-6*length {
			return length
		}
		last = length
		v.MulVec(a.T(), u)
		v.ScaleVec(1/mat.Norm(v, 2), v)
	}
	return last
}
