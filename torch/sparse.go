package torch

// #include "loader.h"
import "C"

// SparseCSR returns a matrix in compressed sparse rows, like ToSparseCSR, from a copy of its elements. Row i has the
// values and columns in [starts[i], starts[i+1]). Panics if the lengths do not match or a column is not in [0,
// width).
func SparseCSR(starts, columns []int32, values []float32, width int) Tensor {
	s, c, v := FromSlice(starts), FromSlice(columns), FromSlice(values)
	defer s.Free()
	defer c.Free()
	defer v.Free()
	return made("from_csr", C.lt_from_csr(s.h, c.h, v.h, C.int64_t(width)), s, c, v)
}

// IsSparse reports whether t is stored in compressed sparse rows.
func (t Tensor) IsSparse() bool { return t.facts("is_sparse").sparse != 0 }
