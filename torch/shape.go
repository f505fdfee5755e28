package torch

// #include "loader.h"
import "C"

// Views share t's memory. Dimensions count from 0; -1 is the last.

// Reshape gives t another shape of as many elements, copying only if it must.
// One size may be -1: what is left.
func (t Tensor) Reshape(shape ...int) Tensor {
	p, n := ints(shape)
	var out Tensor
	check("reshape", C.lt_reshape(t.h, p, n, &out.h), t)
	return out
}

// View is Reshape that never copies; it fails where it would have to.
func (t Tensor) View(shape ...int) Tensor {
	p, n := ints(shape)
	var out Tensor
	check("view", C.lt_view(t.h, p, n, &out.h), t)
	return out
}

// Expand repeats dimensions of size 1 without copying; -1 leaves one as it is.
func (t Tensor) Expand(shape ...int) Tensor {
	p, n := ints(shape)
	var out Tensor
	check("expand", C.lt_expand(t.h, p, n, &out.h), t)
	return out
}

// Transpose swaps two dimensions.
func (t Tensor) Transpose(a, b int) Tensor {
	var out Tensor
	check("transpose", C.lt_transpose(t.h, C.int64_t(a), C.int64_t(b), &out.h), t)
	return out
}

// T is the transpose of a matrix.
func (t Tensor) T() Tensor { return t.Transpose(0, 1) }

// Squeeze drops a dimension if its size is 1.
func (t Tensor) Squeeze(dim int) Tensor {
	var out Tensor
	check("squeeze", C.lt_squeeze(t.h, C.int64_t(dim), &out.h), t)
	return out
}

// Unsqueeze inserts a dimension of size 1.
func (t Tensor) Unsqueeze(dim int) Tensor {
	var out Tensor
	check("unsqueeze", C.lt_unsqueeze(t.h, C.int64_t(dim), &out.h), t)
	return out
}

// Flatten joins dimensions start to end, both included, into one.
func (t Tensor) Flatten(start, end int) Tensor {
	var out Tensor
	check("flatten", C.lt_flatten(t.h, C.int64_t(start), C.int64_t(end), &out.h), t)
	return out
}

// Narrow is the part [start, start+length) of one dimension.
func (t Tensor) Narrow(dim, start, length int) Tensor {
	var out Tensor
	check("narrow", C.lt_narrow(t.h, C.int64_t(dim), C.int64_t(start), C.int64_t(length), &out.h), t)
	return out
}

// Select is t at one index of one dimension, which goes.
func (t Tensor) Select(dim, index int) Tensor {
	var out Tensor
	check("select", C.lt_select(t.h, C.int64_t(dim), C.int64_t(index), &out.h), t)
	return out
}

// SliceDim is every step-th index of one dimension from start up to end, as
// Python's start:end:step.
func (t Tensor) SliceDim(dim, start, end, step int) Tensor {
	var out Tensor
	check("slice", C.lt_slice(t.h, C.int64_t(dim), C.int64_t(start), C.int64_t(end), C.int64_t(step), &out.h), t)
	return out
}

// Pad surrounds t with value: pads holds how many before and after, the last
// dimension first.
func (t Tensor) Pad(value float64, pads ...int) Tensor {
	p, n := ints(pads)
	var out Tensor
	check("pad", C.lt_pad(t.h, p, n, C.double(value), &out.h), t)
	return out
}

// Diagonal is a view of the main diagonal of the first two dimensions.
func (t Tensor) Diagonal() Tensor {
	var out Tensor
	check("diagonal", C.lt_diagonal(t.h, &out.h), t)
	return out
}

// Cat joins tensors along a dimension that they have.
func Cat(dim int, ts ...Tensor) Tensor {
	p, n := handles(ts)
	var out Tensor
	check("cat", C.lt_cat(p, n, C.int64_t(dim), &out.h), ts...)
	return out
}

// Stack joins tensors of equal shape along a new dimension.
func Stack(dim int, ts ...Tensor) Tensor {
	p, n := handles(ts)
	var out Tensor
	check("stack", C.lt_stack(p, n, C.int64_t(dim), &out.h), ts...)
	return out
}
