package torch

// #include "loader.h"
import "C"

// Operations on two operands, element by element; shapes are broadcast as in
// PyTorch, dtypes promoted. A scalar takes the tensor's dtype.

// Add is t + u.
func (t Tensor) Add(u Tensor) Tensor {
	var out Tensor
	check("add", C.lt_add(t.h, u.h, &out.h), t, u)
	return out
}

// Sub is t - u.
func (t Tensor) Sub(u Tensor) Tensor {
	var out Tensor
	check("sub", C.lt_sub(t.h, u.h, &out.h), t, u)
	return out
}

// Mul is t * u.
func (t Tensor) Mul(u Tensor) Tensor {
	var out Tensor
	check("mul", C.lt_mul(t.h, u.h, &out.h), t, u)
	return out
}

// Div is t / u.
func (t Tensor) Div(u Tensor) Tensor {
	var out Tensor
	check("div", C.lt_div(t.h, u.h, &out.h), t, u)
	return out
}

// Maximum is the larger of t and u.
func (t Tensor) Maximum(u Tensor) Tensor {
	var out Tensor
	check("maximum", C.lt_maximum(t.h, u.h, &out.h), t, u)
	return out
}

// Eq is t == u (Bool).
func (t Tensor) Eq(u Tensor) Tensor {
	var out Tensor
	check("eq", C.lt_eq(t.h, u.h, &out.h), t, u)
	return out
}

// Ne is t != u (Bool).
func (t Tensor) Ne(u Tensor) Tensor {
	var out Tensor
	check("ne", C.lt_ne(t.h, u.h, &out.h), t, u)
	return out
}

// AddScalar is t + s.
func (t Tensor) AddScalar(s float64) Tensor {
	var out Tensor
	check("add", C.lt_add_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// MulScalar is t * s.
func (t Tensor) MulScalar(s float64) Tensor {
	var out Tensor
	check("mul", C.lt_mul_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// DivScalar is t / s.
func (t Tensor) DivScalar(s float64) Tensor {
	var out Tensor
	check("div", C.lt_div_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// EqScalar is t == s (Bool).
func (t Tensor) EqScalar(s float64) Tensor {
	var out Tensor
	check("eq", C.lt_eq_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// NeScalar is t != s (Bool).
func (t Tensor) NeScalar(s float64) Tensor {
	var out Tensor
	check("ne", C.lt_ne_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// SubScalar is t - s.
func (t Tensor) SubScalar(s float64) Tensor { return t.AddScalar(-s) }

// AddInPlace adds alpha * u to t. Like all that changes t in place, it panics on a leaf that
// requires a gradient, except inside NoGrad.
func (t Tensor) AddInPlace(u Tensor, alpha float64) {
	check("add_", C.lt_add_(t.h, u.h, C.double(alpha)), t, u)
}

// MulScalarInPlace multiplies t by s.
func (t Tensor) MulScalarInPlace(s float64) {
	check("mul_", C.lt_mul_scalar_(t.h, C.double(s)), t)
}
