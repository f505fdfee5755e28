package torch

// #include "loader.h"
import "C"

// Reductions over the given dimensions, which go; over all of them where none
// is given. Those with a Keep form leave dimensions of size 1 in their place.

// Sum adds up over dims.
func (t Tensor) Sum(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("sum", C.lt_sum(t.h, p, n, 0, &out.h), t)
	return out
}

// SumKeep is Sum that keeps the dimensions with size 1.
func (t Tensor) SumKeep(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("sum", C.lt_sum(t.h, p, n, 1, &out.h), t)
	return out
}

// Mean averages over dims.
func (t Tensor) Mean(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("mean", C.lt_mean(t.h, p, n, 0, &out.h), t)
	return out
}

// MeanKeep is Mean that keeps the dimensions with size 1.
func (t Tensor) MeanKeep(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("mean", C.lt_mean(t.h, p, n, 1, &out.h), t)
	return out
}

// Amax takes the maximum over dims.
func (t Tensor) Amax(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("amax", C.lt_amax(t.h, p, n, 0, &out.h), t)
	return out
}

// Amin takes the minimum over dims.
func (t Tensor) Amin(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("amin", C.lt_amin(t.h, p, n, 0, &out.h), t)
	return out
}

// LogSumExp is log sum exp, without overflow, over dims.
func (t Tensor) LogSumExp(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("logsumexp", C.lt_logsumexp(t.h, p, n, 0, &out.h), t)
	return out
}

// LogSumExpKeep is LogSumExp that keeps the dimensions with size 1.
func (t Tensor) LogSumExpKeep(dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("logsumexp", C.lt_logsumexp(t.h, p, n, 1, &out.h), t)
	return out
}

// Norm is the vector norm of the given order over dims.
func (t Tensor) Norm(order float64, dims ...int) Tensor {
	p, n := ints(dims)
	var out Tensor
	check("norm", C.lt_norm(t.h, C.double(order), p, n, &out.h), t)
	return out
}

// All is true if no element is zero (Bool).
func (t Tensor) All() Tensor {
	var out Tensor
	check("all", C.lt_all(t.h, &out.h), t)
	return out
}

// Argmax is the index of the maximum along one dimension (Int64).
func (t Tensor) Argmax(dim int) Tensor {
	var out Tensor
	check("argmax", C.lt_argmax(t.h, C.int64_t(dim), &out.h), t)
	return out
}

// Softmax is exp(t) / sum exp(t) along one dimension.
func (t Tensor) Softmax(dim int) Tensor {
	var out Tensor
	check("softmax", C.lt_softmax(t.h, C.int64_t(dim), &out.h), t)
	return out
}

// LogSoftmax is t - logsumexp(t) along one dimension.
func (t Tensor) LogSoftmax(dim int) Tensor {
	var out Tensor
	check("log_softmax", C.lt_log_softmax(t.h, C.int64_t(dim), &out.h), t)
	return out
}

// Sort orders t along one dimension, equal elements as they stood, and gives the
// indices (Int64).
func (t Tensor) Sort(dim int, descending bool) (values, indices Tensor) {
	check("sort", C.lt_sort(t.h, C.int64_t(dim), flag(descending), &values.h, &indices.h), t)
	return values, indices
}

// TopK is the k largest elements along one dimension, the largest first, and
// their indices (Int64).
func (t Tensor) TopK(k, dim int) (values, indices Tensor) {
	check("topk", C.lt_topk(t.h, C.int64_t(k), C.int64_t(dim), &values.h, &indices.h), t)
	return values, indices
}
