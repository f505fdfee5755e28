package torch

// #include "loader.h"
import "C"

// Erf is the error function, 2/sqrt(pi) times the integral of e^(-x^2) from 0 to t.
func (t Tensor) Erf() Tensor {
	var out Tensor
	check("erf", C.lt_erf(t.h, &out.h), t)
	return out
}

// GELU is the Gaussian error linear unit (Hendrycks and Gimpel, 2016):
//
//	t Phi(t) = t (1 + erf(t / sqrt(2))) / 2
func (t Tensor) GELU() Tensor {
	var out Tensor
	check("gelu", C.lt_gelu(t.h, 0, &out.h), t)
	return out
}

// GELUTanh is the approximation of GELU that GPT-2 has:
//
//	t (1 + tanh(sqrt(2/pi) (t + .044715 t^3))) / 2
func (t Tensor) GELUTanh() Tensor {
	var out Tensor
	check("gelu", C.lt_gelu(t.h, 1, &out.h), t)
	return out
}

// SiLU is t sigmoid(t), also called swish.
func (t Tensor) SiLU() Tensor {
	var out Tensor
	check("silu", C.lt_silu(t.h, &out.h), t)
	return out
}

// LeakyReLU is t where t is positive and slope * t elsewhere.
func (t Tensor) LeakyReLU(slope float64) Tensor {
	var out Tensor
	check("leaky_relu", C.lt_leaky_relu(t.h, C.double(slope), &out.h), t)
	return out
}
