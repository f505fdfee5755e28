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

// ScatterAdd is a copy of t with src added where index says.
func (t Tensor) ScatterAdd(dim int, index, src Tensor) Tensor {
	var out Tensor
	check("scatter_add", C.lt_scatter_add(t.h, C.int64_t(dim), index.h, src.h, &out.h), t, index, src)
	return out
}

// IndexAdd is a copy of t with src's slices added to those that index names.
func (t Tensor) IndexAdd(dim int, index, src Tensor) Tensor {
	var out Tensor
	check("index_add", C.lt_index_add(t.h, C.int64_t(dim), index.h, src.h, &out.h), t, index, src)
	return out
}

// MaskedSelect is the elements where mask (Bool) is true, in one dimension.
func (t Tensor) MaskedSelect(mask Tensor) Tensor {
	var out Tensor
	check("masked_select", C.lt_masked_select(t.h, mask.h, &out.h), t, mask)
	return out
}

// MaskedFill is t with value where mask (Bool) is true.
func (t Tensor) MaskedFill(mask Tensor, value float64) Tensor {
	var out Tensor
	check("masked_fill", C.lt_masked_fill(t.h, mask.h, C.double(value), &out.h), t, mask)
	return out
}

// NonZero is the indices of the elements that are not zero, one a row (Int64).
func (t Tensor) NonZero() Tensor {
	var out Tensor
	check("nonzero", C.lt_nonzero(t.h, &out.h), t)
	return out
}

// OneHot gives each class index (Int64) a last dimension of zeros and a one.
func (t Tensor) OneHot(classes int) Tensor {
	var out Tensor
	check("one_hot", C.lt_one_hot(t.h, C.int64_t(classes), &out.h), t)
	return out
}

// Bincount counts how often each non-negative integer occurs.
func (t Tensor) Bincount(minLength int) Tensor {
	var out Tensor
	check("bincount", C.lt_bincount(t.h, 0, C.int64_t(minLength), &out.h), t)
	return out
}

// Where is a where cond (Bool) is true, b elsewhere.
func Where(cond, a, b Tensor) Tensor {
	var out Tensor
	check("where", C.lt_where(cond.h, a.h, b.h, &out.h), cond, a, b)
	return out
}
