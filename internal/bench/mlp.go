package bench

import (
	"time"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/optim"
)

// MLP is the training step of the MNIST workload at other sizes, on random inputs.
type MLP struct {
	Batch   int // examples of a step
	Width   int // of both hidden layers
	Classes int

	// Loss makes the loss; nil means cross-entropy.
	Loss func(losses.Options) (losses.Loss, error)
}

// Steps makes the network and returns a function that does a number of steps and returns
// their time. The tensors live in the caller's scope.
func (m MLP) Steps() (func(steps int) time.Duration, error) {
	const inputs = 784
	b := &bench{Options: Options{Device: torch.CPU}}
	model, err := models.MLP{Inputs: inputs, Classes: m.Classes, Hidden: []int{m.Width, m.Width},
		Dropout: .2}.New(b.initial())
	if err != nil {
		return nil, err
	}
	examples := 4 * m.Batch
	g := torch.NewGenerator(3, b.Device)
	set := train.Set{
		X: g.Normal(0, 1, torch.Options{}, examples, inputs),
		Y: g.Integers(0, m.Classes, torch.Options{DType: torch.Int64}, examples),
	}
	n := b.train(set, m.Classes, model, optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8},
		model.Parameters()))
	n.batch = m.Batch
	if m.Loss != nil {
		if n.loss, err = m.Loss(losses.Options{}); err != nil {
			return nil, err
		}
	}
	return n.run, nil
}
