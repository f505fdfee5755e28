package models

import "github.com/losscorr/losscorr/torch/nn"

var mlpEntry = Entry{
	Name: "mlp", Title: "fully connected", Input: Pixels, Dropout: true,
	New: func(s Settings, init nn.Init) (nn.Module, error) {
		return MLP{Inputs: s.Inputs, Classes: s.Classes, Dropout: s.Dropout}.New(init)
	},
}

// MLP is the network of Section 5 for MNIST: two hidden layers of 128 rectified
// units, with dropout after each. For 784 inputs and 10 classes it has 118,282
// parameters.
type MLP struct {
	Inputs, Classes int
	Dropout         float64 // probability; .5 in the paper, .2 in its code
}

// New returns the network with drawn weights. It maps x [N Inputs] to logits
// [N Classes]. Fails if init names no scheme.
func (m MLP) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	const hidden = 128
	return nn.NewSequential(
		nn.NewLinear(nn.Linear{In: m.Inputs, Out: hidden}, init),
		nn.ReLU{}, nn.Dropout{P: m.Dropout},
		nn.NewLinear(nn.Linear{In: hidden, Out: hidden}, init),
		nn.ReLU{}, nn.Dropout{P: m.Dropout},
		nn.NewLinear(nn.Linear{In: hidden, Out: m.Classes}, init),
	), nil
}
