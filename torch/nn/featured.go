package nn

import "github.com/losscorr/losscorr/torch"

// Featured is a network that computes a feature vector for each example.
type Featured interface {
	Module

	// Features returns the features [N D] in evaluation mode: the inputs of the last layer, or the network's own choice.
	Features(x torch.Tensor) torch.Tensor
}

// Features returns the inputs of the last layer in evaluation mode. Panics if the module has no layer.
func (s *Sequential) Features(x torch.Tensor) torch.Tensor {
	return (&Sequential{s.children[:len(s.children)-1]}).Forward(x, Eval)
}

// Features returns the network's features in float32. Panics if the network is not Featured.
func (a Autocast) Features(x torch.Tensor) (y torch.Tensor) {
	torch.Autocast(a.Device, a.DType, func() { y = a.Module.(Featured).Features(x) })
	return y.ToDType(torch.Float32)
}
