package correction

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Condition returns cond(T) in the spectral norm, the ratio of the largest to the smallest singular value: 1 for the
// identity, +Inf for a matrix that is singular up to rounding. Backward correction amplifies errors by this factor at
// most.
func (m *Matrix) Condition() float64 {
	const epsilon = 0x1p-52
	cond := mat.Cond(m.t, 2)
	if math.IsNaN(cond) || cond > 1/(epsilon*float64(m.Dim())) {
		return math.Inf(1)
	}
	return cond
}

// Inverse returns the inverse of T, which backward correction needs. Its rows sum to 1, but its entries may be
// negative.
//
// It is an error if T is singular or Condition exceeds MaxCondition.
func (m *Matrix) Inverse() (*mat.Dense, error) {
	switch cond := m.Condition(); {
	case math.IsInf(cond, 1):
		return nil, errors.New("correction: invert transition matrix: it is singular")
	case cond > MaxCondition:
		return nil, fmt.Errorf("correction: invert transition matrix: condition number %.3g exceeds %.0e", cond, MaxCondition)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(m.t); err != nil {
		return nil, fmt.Errorf("correction: invert transition matrix: %w", err)
	}
	return &inverse, nil
}

// Invertible returns an error with a way out if T has no usable inverse, and so no volume above 0.
func (m *Matrix) Invertible() error {
	if _, err := m.Inverse(); err != nil {
		return fmt.Errorf("%w: use forward correction, which needs no inverse", err)
	}
	return nil
}
