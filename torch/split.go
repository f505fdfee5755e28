package torch

// #include "loader.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// Split cuts t into views of size along one dimension; the last may be smaller.
func (t Tensor) Split(size, dim int) []Tensor {
	total := t.Size(dim)
	if size <= 0 {
		raise("split", Value, fmt.Sprintf("parts of size %d", size), t)
	}
	sizes := []int{}
	for left := total; left > 0; left -= size {
		sizes = append(sizes, min(size, left))
	}
	if total == 0 {
		sizes = append(sizes, 0)
	}
	return t.SplitSizes(dim, sizes...)
}

// SplitSizes cuts t into views of the given sizes along one dimension, which they
// must fill.
func (t Tensor) SplitSizes(dim int, sizes ...int) []Tensor {
	p, n := ints(sizes)
	parts := make([]Tensor, n)
	check("split", C.lt_split(t.h, C.int64_t(dim), p, n, outputs(parts)), t)
	return parts
}

// Chunk cuts t into n views along one dimension, of equal size but for the last.
// As in PyTorch there are fewer where n does not divide the dimension well: 5 in 4
// chunks are 2, 2 and 1.
func (t Tensor) Chunk(n, dim int) []Tensor {
	total := t.Size(dim)
	if n <= 0 || n > math.MaxInt32 {
		raise("chunk", Value, fmt.Sprintf("%d chunks", n), t)
	}
	if total == 0 {
		return t.SplitSizes(dim, make([]int, n)...)
	}
	return t.Split((total+n-1)/n, dim)
}

// Unbind is t at each index of one dimension, which goes: views.
func (t Tensor) Unbind(dim int) []Tensor {
	parts := make([]Tensor, t.Size(dim))
	check("unbind", C.lt_unbind(t.h, C.int64_t(dim), C.int32_t(len(parts)), outputs(parts)), t)
	return parts
}

func outputs(ts []Tensor) *C.lt_tensor { return (*C.lt_tensor)(unsafe.Pointer(unsafe.SliceData(ts))) }

// Repeat lays copies of t side by side, counts of them along each dimension; more
// counts than dimensions add dimensions in front. Expand does so without copying
// where the size is 1.
func (t Tensor) Repeat(counts ...int) Tensor {
	p, n := ints(counts)
	var out Tensor
	check("repeat", C.lt_repeat(t.h, p, n, &out.h), t)
	return out
}
