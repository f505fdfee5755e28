package nn

import "github.com/losscorr/losscorr/torch"

// Featured is a network that ends with a linear layer.
type Featured interface {
	Module

	// Features returns what the last layer gets, [N D], in evaluation mode.
	Features(x torch.Tensor) torch.Tensor
}

// Features returns what the last layer gets.
func (s *Sequential) Features(x torch.Tensor) torch.Tensor {
	return (&Sequential{s.children[:len(s.children)-1]}).Forward(x, Eval)
}

// Features returns those of the network, in float32. Panics if it is not Featured.
func (a Autocast) Features(x torch.Tensor) (y torch.Tensor) {
	torch.Autocast(a.Device, a.DType, func() { y = a.Module.(Featured).Features(x) })
	return y.ToDType(torch.Float32)
}
