package torch

// #include "loader.h"
import "C"

// Attention is scaled dot-product attention (Vaswani et al., 2017), for query
// [.. L E], key [.. S E] and value [.. S V], with result [.. L V]:
//
//	softmax(query key^T / sqrt(E) + mask) value
//
// The mask, or the zero Tensor, has a shape that broadcasts to the scores' [.. L S]. Of
// dtype Bool it is true where a query may look at a key; otherwise it is added to the
// scores. A query that may look at nothing gets zeros.
//
// It is PyTorch's scaled_dot_product_attention, which picks a fused kernel where
// there is one; those have no second derivative. Panics if sizes do not fit.
func Attention(query, key, value, mask Tensor) Tensor {
	var out Tensor
	check("attention", C.lt_attention(query.h, key.h, value.h, mask.h, &out.h), query, key, value, mask)
	return out
}
