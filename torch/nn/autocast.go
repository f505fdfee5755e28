package nn

import "github.com/losscorr/losscorr/torch"

// Autocast is a network with matrix products and convolutions computed in DType, BFloat16 or Float16, on Device. Its
// parameters, the moments of batch normalization and its output are float32, so the loss, gradients and the optimizer
// need no change (Micikevicius et al., "Mixed Precision Training", 2018). Float16 needs optim.Scaler.
type Autocast struct {
	Module
	Device torch.Device
	DType  torch.DType
}

// Forward computes the network's output in float32.
func (a Autocast) Forward(x torch.Tensor, mode Mode) (y torch.Tensor) {
	torch.Autocast(a.Device, a.DType, func() { y = a.Module.Forward(x, mode) })
	return y.ToDType(torch.Float32)
}
