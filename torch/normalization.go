package torch

// #include "loader.h"
import "C"

// LayerNorm normalises each example over the last dimensions, of the given shape
// (Ba et al., 2016), scales by weight and shifts by bias, both of that shape (zero
// Tensors: neither):
//
//	y = (t - mean) / sqrt(variance + eps) weight + bias
//
// The variance is the biased one. Panics if t does not end in shape.
func (t Tensor) LayerNorm(shape []int, weight, bias Tensor, eps float64) Tensor {
	p, n := ints(shape)
	var out Tensor
	check("layer_norm", C.lt_layer_norm(t.h, p, n, weight.h, bias.h, C.double(eps), &out.h), t, weight, bias)
	return out
}
