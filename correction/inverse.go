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
	if inverse, ok := m.largeInverse(); ok {
		return m.conditionBy(inverse)
	}
	return m.plausible(mat.Cond(m.t, 2))
}

// plausible returns a condition number, or +Inf for that of a singular matrix, whose
// smallest singular value comes out as rounding.
func (m *Matrix) plausible(cond float64) float64 {
	const epsilon = 0x1p-52
	if math.IsNaN(cond) || cond > 1/(epsilon*float64(m.Dim())) {
		return math.Inf(1)
	}
	return cond
}

// Inverse returns the inverse of T, which backward correction needs. Its rows
// sum to 1 as those of T do, but its entries may be negative.
//
// It is an error if T is singular or Condition exceeds MaxCondition.
func (m *Matrix) Inverse() (*mat.Dense, error) {
	inverse, ok := m.largeInverse()
	var cond float64
	if ok {
		cond = m.conditionBy(inverse)
	} else {
		cond = m.Condition()
	}
	if math.IsInf(cond, 1) {
		return nil, errors.New("correction: invert transition matrix: it is singular")
	}
	if cond > MaxCondition {
		return nil, fmt.Errorf("correction: invert transition matrix: condition number %.3g exceeds %.0e", cond, MaxCondition)
	}
	if ok {
		return inverse, nil
	}
	inverse = &mat.Dense{}
	if err := inverse.Inverse(m.t); err != nil {
		return nil, fmt.Errorf("correction: invert transition matrix: %w", err)
	}
	return inverse, nil
}

// Invertible reports why a loss that needs the inverse of T, or a volume of T above 0,
// cannot be made, and what to do.
func (m *Matrix) Invertible() error {
	_, err := m.Inverse()
	return advised(err)
}

func advised(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: use forward correction, which needs no inverse", err)
}

// largeInverse returns the inverse of a T of many classes, nil if it is singular. It
// returns false if T is small.
func (m *Matrix) largeInverse() (inverse *mat.Dense, ok bool) {
	if m.Dim() <= manyClasses {
		return nil, false
	}
	inverse = &mat.Dense{}
	var cond mat.Condition
	if err := inverse.Inverse(m.t); errors.As(err, &cond) && math.IsInf(float64(cond), 1) {
		return nil, true
	}
	return inverse, true // conditionBy judges it
}

// conditionBy returns the condition number by the inverse: |T| |T^-1|.
func (m *Matrix) conditionBy(inverse *mat.Dense) float64 {
	if inverse == nil {
		return math.Inf(1)
	}
	return m.plausible(spectralNorm(m.t) * spectralNorm(inverse))
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
