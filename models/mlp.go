package models

import "github.com/losscorr/losscorr/torch/nn"

var mlpEntry = Entry{
	Name: "mlp", Title: "fully connected", Input: Pixels, Hidden: true, Dropout: true, Sparse: true,
	New: func(s Settings, init nn.Init) (nn.Module, error) {
		return MLP{Inputs: s.Inputs, Classes: s.Classes, Hidden: s.Hidden, Dropout: s.Dropout}.New(init)
	},
}

// MLP is the network of Section 5 for MNIST: two hidden layers of 128 rectified units, each followed by dropout. For
// 784 inputs and 10 classes it has 118,282 parameters.
type MLP struct {
	Inputs, Classes int
	Hidden          []int   // widths of the hidden layers; empty: 128, 128
	Dropout         float64 // probability; .5 in the paper, .2 in its code
}

// New returns the network with drawn weights. It maps x [N Inputs] to logits
// [N Classes]. It is an error if init names an unknown scheme.
func (m MLP) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	hidden := m.Hidden
	if len(hidden) == 0 {
		hidden = []int{128, 128}
	}
	var layers []nn.Module
	in := m.Inputs
	for _, width := range hidden {
		layers = append(layers, nn.NewLinear(nn.Linear{In: in, Out: width}, init), nn.ReLU{}, nn.Dropout{P: m.Dropout})
		in = width
	}
	return nn.NewSequential(append(layers, nn.NewLinear(nn.Linear{In: in, Out: m.Classes}, init.Last()))...), nil
}
