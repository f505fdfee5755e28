package torch

// #include "loader.h"
import "C"

// Matmul is the matrix product, batched over leading dimensions as in PyTorch.
func (t Tensor) Matmul(u Tensor) Tensor {
	var out Tensor
	check("matmul", C.lt_matmul(t.h, u.h, &out.h), t, u)
	return out
}

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

// Addmm is beta * bias + alpha * t u.
func Addmm(bias, t, u Tensor, beta, alpha float64) Tensor {
	var out Tensor
	check("addmm", C.lt_addmm(bias.h, t.h, u.h, C.double(beta), C.double(alpha), &out.h), bias, t, u)
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

// SVDVals is the singular values of a matrix, the largest first.
func (t Tensor) SVDVals() Tensor {
	var out Tensor
	check("svdvals", C.lt_svdvals(t.h, &out.h), t)
	return out
}

// EigvalsH is the eigenvalues of a symmetric matrix, the smallest first.
func (t Tensor) EigvalsH() Tensor {
	var out Tensor
	check("eigvalsh", C.lt_eigvalsh(t.h, &out.h), t)
	return out
}

// SLogDet is the sign of a square matrix's determinant and the logarithm of its
// absolute value.
func (t Tensor) SLogDet() (sign, logabs Tensor) {
	check("slogdet", C.lt_slogdet(t.h, &sign.h, &logabs.h), t)
	return sign, logabs
}
