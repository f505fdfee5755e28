package torch

// #include "loader.h"
import "C"

// SparseCSR returns a matrix in compressed sparse rows, as ToSparseCSR makes them, from its
// elements: the values of row i and their columns are those from starts[i] to starts[i+1]. It
// copies them. Panics if the parts do not fit together or a column is not in [0, width).
func SparseCSR(starts, columns []int32, values []float32, width int) Tensor {
	s, c, v := FromSlice(starts), FromSlice(columns), FromSlice(values)
	defer s.Free()
	defer c.Free()
	defer v.Free()
	return made("from_csr", C.lt_from_csr(s.h, c.h, v.h, C.int64_t(width)), s, c, v)
}

// IsSparse tells whether t is in compressed rows.
func (t Tensor) IsSparse() bool { return t.facts("is_sparse").sparse != 0 }
