package models

import "github.com/losscorr/losscorr/torch/nn"

// linearEntry is multinomial logistic regression: one linear layer.
var linearEntry = Entry{
	Name: "linear", Title: "linear", Input: Pixels, Sparse: true,
	New: func(s Settings, init nn.Init) (nn.Module, error) {
		if err := init.Check(); err != nil {
			return nil, err
		}
		return nn.NewSequential(nn.Named("fc", nn.NewLinear(nn.Linear{In: s.Inputs, Out: s.Classes}, init.Last()))), nil
	},
}
