package torch

// #include "loader.h"
import "C"

// UpsampleBilinear brings images t [N C H W] to another height and width, linear between
// the four pixels around, as PyTorch's interpolate does.
func (t Tensor) UpsampleBilinear(height, width int) Tensor {
	var out Tensor
	check("upsample_bilinear2d", C.lt_upsample_bilinear2d(t.h, C.int64_t(height), C.int64_t(width), &out.h), t)
	return out
}
