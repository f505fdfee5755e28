package torch

// #include "loader.h"
import "C"

import (
	"fmt"
	"math"
)

// Interpolation says how pixels between pixels are computed.
type Interpolation int

const (
	Nearest  Interpolation = iota // the pixel itself
	Bilinear                      // linear between the four around
)

// UpsampleOptions gives the new size, or the factor by which sizes change.
type UpsampleOptions struct {
	Height, Width int
	Factor        float64 // in place of Height and Width
	Mode          Interpolation
	// AlignCorners puts the corner pixels' centres, not their outer corners, onto
	// each other. Bilinear only.
	AlignCorners bool
}

// Upsample brings images t [N C H W] to another height and width, as PyTorch's
// interpolate does. Panics unless either Factor or both Height and Width are set.
func (t Tensor) Upsample(o UpsampleOptions) Tensor {
	const op = "upsample2d"
	bySize, byFactor := o.Height != 0 || o.Width != 0, o.Factor != 0
	switch {
	case bySize == byFactor:
		raise(op, Value, "set either Factor or Height and Width", t)
	case byFactor && !(o.Factor > 0 && o.Factor < math.MaxInt32):
		raise(op, Value, fmt.Sprintf("the factor is %v", o.Factor), t)
	case o.Mode != Nearest && o.Mode != Bilinear:
		raise(op, Value, fmt.Sprintf("there is no interpolation %d", o.Mode), t)
	case o.AlignCorners && o.Mode != Bilinear:
		raise(op, Value, "corners can be aligned in bilinear mode only", t)
	}
	size := [2]C.int64_t{C.int64_t(o.Height), C.int64_t(o.Width)}
	factors := [2]C.double{C.double(o.Factor), C.double(o.Factor)}
	var out Tensor
	if byFactor {
		check(op, C.lt_upsample2d(t.h, flag(o.Mode == Bilinear), flag(o.AlignCorners), nil, &factors[0], &out.h), t)
	} else {
		check(op, C.lt_upsample2d(t.h, flag(o.Mode == Bilinear), flag(o.AlignCorners), &size[0], nil, &out.h), t)
	}
	return out
}
