package torch

// #include "loader.h"
import "C"

// Mm is the product of two matrices.
func (t Tensor) Mm(u Tensor) Tensor {
	var out Tensor
	check("mm", C.lt_mm(t.h, u.h, &out.h), t, u)
	return out
}

// Bmm is the product of two batches of matrices, [B n k] and [B k m].
func (t Tensor) Bmm(u Tensor) Tensor {
	var out Tensor
	check("bmm", C.lt_bmm(t.h, u.h, &out.h), t, u)
	return out
}

// Solve is x with t x = u, for a square matrix t.
func (t Tensor) Solve(u Tensor) Tensor {
	var out Tensor
	check("solve", C.lt_solve(t.h, u.h, &out.h), t, u)
	return out
}

// Linear is t weight^T + bias, with weight [out in]; bias may be the zero Tensor.
func (t Tensor) Linear(weight, bias Tensor) Tensor {
	var out Tensor
	check("linear", C.lt_linear(t.h, weight.h, bias.h, &out.h), t, weight)
	return out
}

// Inverse is the inverse of a square matrix; panics if it has none.
func (t Tensor) Inverse() Tensor {
	var out Tensor
	check("inverse", C.lt_inverse(t.h, &out.h), t)
	return out
}

// SLogDet is the sign of a square matrix's determinant and the logarithm of its
// absolute value.
func (t Tensor) SLogDet() (sign, logabs Tensor) {
	check("slogdet", C.lt_slogdet(t.h, &sign.h, &logabs.h), t)
	return sign, logabs
}
