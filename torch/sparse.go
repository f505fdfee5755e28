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

// SparseCSR returns a matrix in compressed sparse rows, as ToSparseCSR makes them, from its
// elements: the values of row i and their columns are those from starts[i] to starts[i+1]. It
// copies them. Panics if the parts do not fit together or a column is not in [0, width).
func SparseCSR(starts, columns []int32, values []float32, width int) Tensor {
	s, c, v := FromSlice(starts), FromSlice(columns), FromSlice(values)
	defer s.Free()
	defer c.Free()
	defer v.Free()
	var out Tensor
	check("from_csr", C.lt_from_csr(s.h, c.h, v.h, C.int64_t(width), &out.h), s, c, v)
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
