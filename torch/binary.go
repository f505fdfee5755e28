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

// Pow is t^u.
func (t Tensor) Pow(u Tensor) Tensor {
	var out Tensor
	check("pow", C.lt_pow(t.h, u.h, &out.h), t, u)
	return out
}

// Maximum is the larger of t and u.
func (t Tensor) Maximum(u Tensor) Tensor {
	var out Tensor
	check("maximum", C.lt_maximum(t.h, u.h, &out.h), t, u)
	return out
}

// Minimum is the smaller of t and u.
func (t Tensor) Minimum(u Tensor) Tensor {
	var out Tensor
	check("minimum", C.lt_minimum(t.h, u.h, &out.h), t, u)
	return out
}

// Remainder is t modulo u, of u's sign.
func (t Tensor) Remainder(u Tensor) Tensor {
	var out Tensor
	check("remainder", C.lt_remainder(t.h, u.h, &out.h), t, u)
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

// Lt is t < u (Bool).
func (t Tensor) Lt(u Tensor) Tensor {
	var out Tensor
	check("lt", C.lt_lt(t.h, u.h, &out.h), t, u)
	return out
}

// Le is t <= u (Bool).
func (t Tensor) Le(u Tensor) Tensor {
	var out Tensor
	check("le", C.lt_le(t.h, u.h, &out.h), t, u)
	return out
}

// Gt is t > u (Bool).
func (t Tensor) Gt(u Tensor) Tensor {
	var out Tensor
	check("gt", C.lt_gt(t.h, u.h, &out.h), t, u)
	return out
}

// Ge is t >= u (Bool).
func (t Tensor) Ge(u Tensor) Tensor {
	var out Tensor
	check("ge", C.lt_ge(t.h, u.h, &out.h), t, u)
	return out
}

// LogicalAnd is t and u (Bool).
func (t Tensor) LogicalAnd(u Tensor) Tensor {
	var out Tensor
	check("logical_and", C.lt_logical_and(t.h, u.h, &out.h), t, u)
	return out
}

// LogicalOr is t or u (Bool).
func (t Tensor) LogicalOr(u Tensor) Tensor {
	var out Tensor
	check("logical_or", C.lt_logical_or(t.h, u.h, &out.h), t, u)
	return out
}

// LogicalXor is either t or u (Bool).
func (t Tensor) LogicalXor(u Tensor) Tensor {
	var out Tensor
	check("logical_xor", C.lt_logical_xor(t.h, u.h, &out.h), t, u)
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

// PowScalar is t^s.
func (t Tensor) PowScalar(s float64) Tensor {
	var out Tensor
	check("pow", C.lt_pow_scalar(t.h, C.double(s), &out.h), t)
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

// LtScalar is t < s (Bool).
func (t Tensor) LtScalar(s float64) Tensor {
	var out Tensor
	check("lt", C.lt_lt_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// LeScalar is t <= s (Bool).
func (t Tensor) LeScalar(s float64) Tensor {
	var out Tensor
	check("le", C.lt_le_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// GtScalar is t > s (Bool).
func (t Tensor) GtScalar(s float64) Tensor {
	var out Tensor
	check("gt", C.lt_gt_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// GeScalar is t >= s (Bool).
func (t Tensor) GeScalar(s float64) Tensor {
	var out Tensor
	check("ge", C.lt_ge_scalar(t.h, C.double(s), &out.h), t)
	return out
}

// SubScalar is t - s.
func (t Tensor) SubScalar(s float64) Tensor { return t.AddScalar(-s) }

// AddInPlace adds alpha * u to t. Like all that changes t in place, it panics on a leaf that
// requires a gradient, except inside NoGrad.
func (t Tensor) AddInPlace(u Tensor, alpha float64) {
	check("add_", C.lt_add_(t.h, u.h, C.double(alpha)), t, u)
}

// MulInPlace multiplies t by u.
func (t Tensor) MulInPlace(u Tensor) { check("mul_", C.lt_mul_(t.h, u.h), t, u) }

// MulScalarInPlace multiplies t by s.
func (t Tensor) MulScalarInPlace(s float64) {
	check("mul_", C.lt_mul_scalar_(t.h, C.double(s)), t)
}
