package torch

// #include "loader.h"
import "C"

import (
	"math"
	"runtime"
)

// AttentionOptions says what Attention leaves out and how it scales.
type AttentionOptions struct {
	// Mask has a shape that broadcasts to the scores' [.. L S]. Of dtype Bool it
	// is true where a query may look at a key; otherwise it is added to the
	// scores. A query that may look at nothing gets zeros.
	Mask Tensor
	// Causal lets query i look at keys 0 to i alone; it excludes Mask.
	Causal bool
	// Scale multiplies the scores; 0 is 1/sqrt(E).
	Scale float64
	// Dropout is the probability with which a weight is zeroed, drawn from Rand
	// as Tensor.Dropout draws. It takes the weights [.. L S] in memory, which the
	// fused kernels avoid.
	Dropout float64
	Rand    *Generator
}

// Attention is scaled dot-product attention (Vaswani et al., 2017), for query
// [.. L E], key [.. S E] and value [.. S V], with result [.. L V]:
//
//	softmax(query key^T Scale + Mask) value
//
// It is PyTorch's scaled_dot_product_attention, which picks a fused kernel where
// there is one; those have no second derivative. Panics if sizes do not fit.
func Attention(query, key, value Tensor, o AttentionOptions) Tensor {
	const op = "attention"
	scale := o.Scale
	if scale == 0 {
		scale = math.NaN() // libtorch's default
	}
	stream := streamOf(op, o.Dropout, o.Rand, query, key, value)
	var out Tensor
	check(op, C.lt_attention(query.h, key.h, value.h, o.Mask.h, flag(o.Causal), C.double(scale), C.double(o.Dropout), stream, &out.h), query, key, value, o.Mask)
	runtime.KeepAlive(o.Rand)
	return out
}
