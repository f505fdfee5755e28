package torch

// #include "loader.h"
import "C"

// noIndex is PyTorch's default ignore_index, which is no class.
const noIndex = -100

// CrossEntropyOptions changes what each example counts for. The zero value is
// CrossEntropy with ReduceMean.
type CrossEntropyOptions struct {
	Reduction Reduction
	// Weight [C], of t's dtype, is how much examples of each class count. The mean
	// is the weighted one: it divides by the sum of the examples' weights.
	Weight Tensor
	// IgnoreIndex is a target that counts for nothing, as padding does; nil is
	// -100, PyTorch's default. new(0) ignores class 0.
	IgnoreIndex *int
	Smoothing   float64 // see CrossEntropySmooth
}

// CrossEntropyWith is CrossEntropy with options, for logits t [N C] or [N C ..] and
// classes target [N] or [N ..] (Int64).
func (t Tensor) CrossEntropyWith(target Tensor, o CrossEntropyOptions) Tensor {
	ignore := noIndex
	if o.IgnoreIndex != nil {
		ignore = *o.IgnoreIndex
	}
	var out Tensor
	check("cross_entropy", C.lt_cross_entropy(t.h, target.h, o.Weight.h, o.Reduction.c(), C.int64_t(ignore), C.double(o.Smoothing), &out.h), t, target)
	return out
}
