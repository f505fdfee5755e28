package nn

import "github.com/losscorr/losscorr/torch"

// Module is a layer or a network.
type Module interface {
	// Forward computes the output for x, in training or evaluation mode.
	Forward(x torch.Tensor, mode Mode) torch.Tensor

	// Parameters lists the parameters and buffers, in a fixed order.
	Parameters() []Parameter
}

// Mode is the mode of a forward pass. In training dropout draws and batch normalization uses the batch's moments. The
// zero value is Eval.
type Mode struct {
	Training bool
	Dropout  *torch.Generator // the stream of dropout in training
}

// Eval is the mode for validation and use.
var Eval Mode

// Train is the mode for training, with the stream that dropout draws from.
func Train(dropout *torch.Generator) Mode { return Mode{Training: true, Dropout: dropout} }

// Parameter is a named tensor of a module. Names are PyTorch's: "0.weight".
type Parameter struct {
	Name   string
	Tensor torch.Tensor
	Role   Role
}

// Role is the purpose of a parameter. Weight decay applies only to Weight, and a Buffer is part of a module's state
// but not trained.
type Role int

// The purposes of parameters.
const (
	Weight Role = iota // of a linear or convolution layer, an embedding or an LSTM
	Bias
	Norm   // scale and shift of a normalisation
	Buffer // running moments
)
