package torch

// #include "loader.h"
import "C"

import (
	"cmp"
	"fmt"
)

// Conv1d convolves sequences t [N C T] with weight [O C/groups K]; bias [O] may be
// the zero Tensor. Of w it takes the fields without HW.
func (t Tensor) Conv1d(weight, bias Tensor, w Window) Tensor {
	const op = "conv1d"
	if w.StrideHW != [2]int{} || w.PaddingHW != [2]int{} || w.DilationHW != [2]int{} {
		raise(op, Value, "a sequence has one dimension: set Stride, Padding and Dilation, not those of height and width", t, weight)
	}
	var out Tensor
	check(op, C.lt_conv1d(t.h, weight.h, bias.h, C.int64_t(cmp.Or(w.Stride, 1)), C.int64_t(w.Padding), C.int64_t(cmp.Or(w.Dilation, 1)), C.int64_t(cmp.Or(w.Groups, 1)), &out.h), t, weight)
	return out
}

// ConvTranspose2d is the gradient of Conv2d with respect to its input, as an
// operation: it maps t [N C H W] with weight [C O/groups KH KW] to [N O H' W'],
//
//	H' = (H - 1) Stride - 2 Padding + Dilation (KH - 1) + OutputPadding + 1
//
// bias [O] may be the zero Tensor.
func (t Tensor) ConvTranspose2d(weight, bias Tensor, w Window) Tensor {
	const op = "conv_transpose2d"
	stride, padding, dilation, added := w.stride(op, one), w.padding(op), w.dilation(op), w.outputPadding(op)
	// oneDNN's own errors do not say which of these is wrong.
	size, kernel := t.facts(op), weight.facts(op)
	for i := range 2 {
		if dilation[i] <= 0 {
			raise(op, Value, fmt.Sprintf("a dilation of %d", dilation[i]), t, weight)
		}
		if d := size.dim - 2 + C.int32_t(i); d >= 1 && kernel.dim == 4 {
			if n := (size.shape[d]-1)*stride[i] - 2*padding[i] + dilation[i]*(kernel.shape[2+i]-1) + added[i] + 1; n <= 0 {
				raise(op, Shape, fmt.Sprintf("the output has the size %d in dimension %d", n, d), t, weight)
			}
		}
	}
	var out Tensor
	check(op, C.lt_conv_transpose2d(t.h, weight.h, bias.h, &stride[0], &padding[0], &added[0], &dilation[0], C.int64_t(cmp.Or(w.Groups, 1)), &out.h), t, weight)
	return out
}
