package torch

// #include "loader.h"
import "C"

import "fmt"

// Window is the geometry of a convolution or pooling over height and width. The
// zero Stride is 1 for convolutions and the kernel size for pooling.
//
// The fields that end in HW hold height and width where they differ, in place of
// the field of the same name: Window{PaddingHW: [2]int{0, 3}} pads the width
// alone. An operation panics if both are set.
type Window struct {
	Stride   int
	Padding  int
	Dilation int // convolutions; 0 is 1
	Groups   int // convolutions; 0 is 1

	KernelHW, StrideHW, PaddingHW, DilationHW [2]int // KernelHW: pooling

	// OutputPadding of transposed convolutions is added to one side of the output's height
	// and width. It chooses between the s output sizes that are possible with a stride of s.
	OutputPadding   int
	OutputPaddingHW [2]int
}

var one = pair(1)

func pair(v int) [2]C.int64_t { return [2]C.int64_t{C.int64_t(v), C.int64_t(v)} }

// sides is hw, or the square one, or with both 0 what zero says. Panics with op
// if both are set.
func sides(op, field string, square int, hw [2]int, zero [2]C.int64_t) [2]C.int64_t {
	switch {
	case hw == [2]int{} && square == 0:
		return zero
	case hw == [2]int{}:
		return pair(square)
	case square != 0:
		raise(op, Value, fmt.Sprintf("%s is %d and %sHW %v: set one of them", field, square, field, hw))
	}
	return [2]C.int64_t{C.int64_t(hw[0]), C.int64_t(hw[1])}
}

// kernel is that of a pooling. Panics with op unless it has a height and a width.
func (w Window) kernel(op string, square int) [2]C.int64_t {
	k := sides(op, "Kernel", square, w.KernelHW, pair(0))
	if k[0] <= 0 || k[1] <= 0 {
		raise(op, Value, fmt.Sprintf("a kernel of %d by %d", k[0], k[1]))
	}
	return k
}

func (w Window) stride(op string, zero [2]C.int64_t) [2]C.int64_t {
	return sides(op, "Stride", w.Stride, w.StrideHW, zero)
}

func (w Window) padding(op string) [2]C.int64_t {
	return sides(op, "Padding", w.Padding, w.PaddingHW, pair(0))
}

func (w Window) dilation(op string) [2]C.int64_t {
	return sides(op, "Dilation", w.Dilation, w.DilationHW, one)
}

func (w Window) outputPadding(op string) [2]C.int64_t {
	return sides(op, "OutputPadding", w.OutputPadding, w.OutputPaddingHW, pair(0))
}
