package torch

import "gonum.org/v1/gonum/mat"

// FromDense copies a gonum matrix into a float64 tensor on the CPU.
func FromDense(m mat.Matrix) Tensor {
	d := mat.DenseCopyOf(m)
	rows, cols := d.Dims()
	return FromSlice(d.RawMatrix().Data, rows, cols)
}

// Dense copies a tensor of two dimensions into a gonum matrix.
func (t Tensor) Dense() *mat.Dense {
	if t.Dim() != 2 {
		raise("dense", Shape, "a matrix has two dimensions", t)
	}
	return mat.NewDense(t.Size(0), t.Size(1), Slice[float64](t))
}
