package optim

import "github.com/losscorr/losscorr/torch/nn"

// Entry is what the rest of the program knows of an optimizer: its line in the
// table of optimizers.
type Entry struct {
	Name     string // in configurations
	About    string // what it is, in a line
	Momentum bool   // it reads Settings.Momentum
	New      func(s Settings, params []nn.Parameter) Optimizer
}

// Settings are the constants of all optimizers. Each reads what it has a use for.
type Settings struct{ LearningRate, Epsilon, Momentum, WeightDecay float64 }

// All is the table of optimizers that configurations name. A new one is a file
// with its entry, and a line here.
var All = []Entry{adagradEntry, sgdEntry, adamEntry}

// String returns the optimizer's name.
func (e Entry) String() string { return e.Name }
