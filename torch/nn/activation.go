package nn

import "github.com/losscorr/losscorr/torch"

// Func is a layer that learns nothing, from any function of one tensor:
//
//	nn.Func(torch.Tensor.Tanh)
type Func func(x torch.Tensor) torch.Tensor

// Forward computes f(x).
func (f Func) Forward(x torch.Tensor, _ Mode) torch.Tensor { return f(x) }

// Parameters is empty.
func (Func) Parameters() []Parameter { return nil }

// GELU is the Gaussian error linear unit x Phi(x) (Hendrycks and Gimpel, 2016), or
// with Tanh its approximation by tanh.
type GELU struct {
	plain
	Tanh bool
}

// Forward computes GELU of x.
func (g GELU) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	if g.Tanh {
		return x.GELUTanh()
	}
	return x.GELU()
}

// SiLU is x sigmoid(x), also called swish.
type SiLU struct{ plain }

// Forward computes SiLU of x.
func (SiLU) Forward(x torch.Tensor, _ Mode) torch.Tensor { return x.SiLU() }

// LeakyReLU is x where x is positive and Slope * x elsewhere.
type LeakyReLU struct {
	plain
	Slope float64 // 0 is .01
}

// Forward computes LeakyReLU of x.
func (l LeakyReLU) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	if l.Slope == 0 {
		l.Slope = .01
	}
	return x.LeakyReLU(l.Slope)
}
