package torch

import "gonum.org/v1/gonum/mat"

// FromDense copies a gonum matrix into a float64 tensor on the CPU.
func FromDense(m mat.Matrix) Tensor {
	d := mat.DenseCopyOf(m)
	rows, cols := d.Dims()
	return FromSlice(d.RawMatrix().Data, rows, cols)
}
