package torch

// #include "loader.h"
import "C"

// IndexSelect takes the slices of one dimension that index (Int64 or Int32, one
// dimension) names.
func (t Tensor) IndexSelect(dim int, index Tensor) Tensor {
	var out Tensor
	check("index_select", C.lt_index_select(t.h, C.int64_t(dim), index.h, &out.h), t, index)
	return out
}

// Gather takes one element per entry of index:
//
//	out[i][j] = t[i][index[i][j]]   for dim 1
func (t Tensor) Gather(dim int, index Tensor) Tensor {
	var out Tensor
	check("gather", C.lt_gather(t.h, C.int64_t(dim), index.h, &out.h), t, index)
	return out
}

// ScatterInPlace writes src into t where index says, the inverse of Gather.
func (t Tensor) ScatterInPlace(dim int, index, src Tensor) {
	check("scatter_", C.lt_scatter_(t.h, C.int64_t(dim), index.h, src.h), t, index, src)
}

// ScatterValue is a copy of t with value written where index says.
func (t Tensor) ScatterValue(dim int, index Tensor, value float64) Tensor {
	var out Tensor
	check("scatter_value", C.lt_scatter_value(t.h, C.int64_t(dim), index.h, C.double(value), &out.h), t, index)
	return out
}
