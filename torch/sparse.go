package torch

// #include "loader.h"
import "C"

// ToSparseCSR returns a matrix (Float32, on the CPU) in compressed sparse rows: libtorch's
// layout sparse_csr, with indices of 32 bits. It is for inputs of mostly zeros. IndexSelect of
// rows, Linear, ToDense and Slice, which gives all elements, accept it; another operation panics
// where libtorch has none for this layout. A tensor that requires a gradient is refused.
func (t Tensor) ToSparseCSR() Tensor {
	var out Tensor
	check("to_sparse_csr", C.lt_to_sparse_csr(t.h, &out.h), t)
	return out
}

// ToDense returns the matrix with all of its elements. Of a dense t, the result shares its
// memory.
func (t Tensor) ToDense() Tensor {
	var out Tensor
	check("to_dense", C.lt_to_dense(t.h, &out.h), t)
	return out
}

// IsSparse tells whether t is in compressed rows.
func (t Tensor) IsSparse() bool { return t.facts("is_sparse").sparse != 0 }
