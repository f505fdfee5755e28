package torch

// #include "loader.h"
import "C"

// GELU is the Gaussian error linear unit (Hendrycks and Gimpel, 2016):
//
//	t Phi(t) = t (1 + erf(t / sqrt(2))) / 2
func (t Tensor) GELU() Tensor {
	var out Tensor
	check("gelu", C.lt_gelu(t.h, &out.h), t)
	return out
}
