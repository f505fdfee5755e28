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

// Exp is e^t.
func (t Tensor) Exp() Tensor {
	var out Tensor
	check("exp", C.lt_exp(t.h, &out.h), t)
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

// Square is t * t.
func (t Tensor) Square() Tensor {
	var out Tensor
	check("square", C.lt_square(t.h, &out.h), t)
	return out
}

// Sigmoid is 1 / (1 + e^-t).
func (t Tensor) Sigmoid() Tensor {
	var out Tensor
	check("sigmoid", C.lt_sigmoid(t.h, &out.h), t)
	return out
}

// ReLU is max(t, 0).
func (t Tensor) ReLU() Tensor {
	var out Tensor
	check("relu", C.lt_relu(t.h, &out.h), t)
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
