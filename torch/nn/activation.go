package nn

import "github.com/losscorr/losscorr/torch"

// Func is a layer without parameters, made of any function of one tensor:
//
//	nn.Func(torch.Tensor.GELU)
type Func func(x torch.Tensor) torch.Tensor

// Forward computes f(x).
func (f Func) Forward(x torch.Tensor, _ Mode) torch.Tensor { return f(x) }

// Parameters is empty.
func (Func) Parameters() []Parameter { return nil }
