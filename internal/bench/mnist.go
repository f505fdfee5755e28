package main

import (
	"math/rand/v2"
	"path/filepath"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/training"
)

// newMNIST is the MNIST network with dropout, under AdaGrad.
func newMNIST(b *bench) (*network, error) {
	const examples = 12800
	mnist, err := dataset.Open("mnist", dataset.Options{Root: filepath.Dir(b.data)})
	if err != nil {
		return nil, err
	}
	labels := make([]int64, examples)
	for i := range labels {
		labels[i] = int64(mnist.Train.Labels[i])
	}
	x := torch.FromSlice(mnist.Train.X[:examples*784], examples, 784).ToDType(torch.Float32)
	x.MulScalarInPlace(1.0 / 255)
	model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(initial())
	if err != nil {
		return nil, err
	}
	optimizer := optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters())
	return train(training.Set{X: x, Y: torch.FromSlice(labels)}, 10, model, optimizer), nil
}

func initial() nn.Init { return nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"} }
