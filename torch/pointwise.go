package torch

// #include "loader.h"
import "C"

import "math"

// The operations here work element by element. Operands of different shapes are
// broadcast as in PyTorch.

// Neg is -t.
func (t Tensor) Neg() Tensor {
	var out Tensor
	check("neg", C.lt_neg(t.h, &out.h), t)
	return out
}

// Abs is |t|.
func (t Tensor) Abs() Tensor {
	var out Tensor
	check("abs", C.lt_abs(t.h, &out.h), t)
	return out
}

// Sign is -1, 0 or 1 by t's sign.
func (t Tensor) Sign() Tensor {
	var out Tensor
	check("sign", C.lt_sign(t.h, &out.h), t)
	return out
}

// Exp is e^t.
func (t Tensor) Exp() Tensor {
	var out Tensor
	check("exp", C.lt_exp(t.h, &out.h), t)
	return out
}

// Expm1 is e^t - 1, accurate near 0.
func (t Tensor) Expm1() Tensor {
	var out Tensor
	check("expm1", C.lt_expm1(t.h, &out.h), t)
	return out
}

// Log is the natural logarithm.
func (t Tensor) Log() Tensor {
	var out Tensor
	check("log", C.lt_log(t.h, &out.h), t)
	return out
}

// Log1p is log(1 + t), accurate near 0.
func (t Tensor) Log1p() Tensor {
	var out Tensor
	check("log1p", C.lt_log1p(t.h, &out.h), t)
	return out
}

// Sqrt is the square root.
func (t Tensor) Sqrt() Tensor {
	var out Tensor
	check("sqrt", C.lt_sqrt(t.h, &out.h), t)
	return out
}

// Rsqrt is 1 / sqrt(t).
func (t Tensor) Rsqrt() Tensor {
	var out Tensor
	check("rsqrt", C.lt_rsqrt(t.h, &out.h), t)
	return out
}

// Square is t * t.
func (t Tensor) Square() Tensor {
	var out Tensor
	check("square", C.lt_square(t.h, &out.h), t)
	return out
}

// Reciprocal is 1 / t.
func (t Tensor) Reciprocal() Tensor {
	var out Tensor
	check("reciprocal", C.lt_reciprocal(t.h, &out.h), t)
	return out
}

// Sin is the sine.
func (t Tensor) Sin() Tensor {
	var out Tensor
	check("sin", C.lt_sin(t.h, &out.h), t)
	return out
}

// Cos is the cosine.
func (t Tensor) Cos() Tensor {
	var out Tensor
	check("cos", C.lt_cos(t.h, &out.h), t)
	return out
}

// Tanh is the hyperbolic tangent.
func (t Tensor) Tanh() Tensor {
	var out Tensor
	check("tanh", C.lt_tanh(t.h, &out.h), t)
	return out
}

// Sigmoid is 1 / (1 + e^-t).
func (t Tensor) Sigmoid() Tensor {
	var out Tensor
	check("sigmoid", C.lt_sigmoid(t.h, &out.h), t)
	return out
}

// LogSigmoid is log sigmoid(t), without overflow.
func (t Tensor) LogSigmoid() Tensor {
	var out Tensor
	check("log_sigmoid", C.lt_log_sigmoid(t.h, &out.h), t)
	return out
}

// Softplus is log(1 + e^t), without overflow.
func (t Tensor) Softplus() Tensor {
	var out Tensor
	check("softplus", C.lt_softplus(t.h, &out.h), t)
	return out
}

// ReLU is max(t, 0).
func (t Tensor) ReLU() Tensor {
	var out Tensor
	check("relu", C.lt_relu(t.h, &out.h), t)
	return out
}

// Floor is the next integer below.
func (t Tensor) Floor() Tensor {
	var out Tensor
	check("floor", C.lt_floor(t.h, &out.h), t)
	return out
}

// Ceil is the next integer above.
func (t Tensor) Ceil() Tensor {
	var out Tensor
	check("ceil", C.lt_ceil(t.h, &out.h), t)
	return out
}

// Round is the nearest integer, halves to even.
func (t Tensor) Round() Tensor {
	var out Tensor
	check("round", C.lt_round(t.h, &out.h), t)
	return out
}

// IsNaN is true where t is not a number (Bool).
func (t Tensor) IsNaN() Tensor {
	var out Tensor
	check("isnan", C.lt_isnan(t.h, &out.h), t)
	return out
}

// IsFinite is true where t is neither infinite nor NaN (Bool).
func (t Tensor) IsFinite() Tensor {
	var out Tensor
	check("isfinite", C.lt_isfinite(t.h, &out.h), t)
	return out
}

// LogicalNot is true where t is zero (Bool).
func (t Tensor) LogicalNot() Tensor {
	var out Tensor
	check("logical_not", C.lt_logical_not(t.h, &out.h), t)
	return out
}

// Clamp limits t to [low, high]. Integers stay integers where the limits are whole numbers.
func (t Tensor) Clamp(low, high float64) Tensor {
	var out Tensor
	check("clamp", C.lt_clamp(t.h, C.double(low), C.double(high), &out.h), t)
	return out
}

// ClampMin limits t from below.
func (t Tensor) ClampMin(low float64) Tensor { return t.Clamp(low, math.NaN()) }

// ClampMax limits t from above.
func (t Tensor) ClampMax(high float64) Tensor { return t.Clamp(math.NaN(), high) }
