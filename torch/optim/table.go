package optim

import "github.com/losscorr/losscorr/torch/nn"

// Entry describes an optimizer: one line of the table All.
type Entry struct {
	Name     string // in configurations
	About    string // description in one line
	Momentum bool   // it reads Settings.Momentum
	New      func(s Settings, params []nn.Parameter) Optimizer
}

// Settings are the constants of all optimizers. Each reads the ones it needs.
type Settings struct{ LearningRate, Epsilon, Momentum, WeightDecay float64 }

// All is the table of optimizers for configurations. A new optimizer is a file with its entry and a line here.
var All = []Entry{adagradEntry, sgdEntry, adamEntry}

// String returns the optimizer's name.
func (e Entry) String() string { return e.Name }
