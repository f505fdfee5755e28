package torch

// #include <stdlib.h>
// #include "loader.h"
import "C"

import "unsafe"

// Einsum multiplies tensors and sums over what the result does not name:
//
//	torch.Einsum("bqe,bke->bqk", query, key)    // scores of attention
//
// A letter stands for a dimension, an ellipsis for any number of them. Without ->
// the result has the letters that occur once, sorted. Panics if the equation is
// malformed or sizes under one letter differ.
func Einsum(equation string, ts ...Tensor) Tensor {
	text := C.CString(equation)
	defer C.free(unsafe.Pointer(text))
	p, n := handles(ts)
	var out Tensor
	check("einsum", C.lt_einsum(text, p, n, &out.h), ts...)
	return out
}
