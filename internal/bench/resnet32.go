package bench

import (
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/optim"
)

// newResNet32 returns the constructor of the network for CIFAR-10 on random images, with SGD
// with momentum and weight decay.
func newResNet32(precision torch.DType) func(*bench) (*network, error) {
	return func(b *bench) (*network, error) { return b.resNet32(precision) }
}

func (b *bench) resNet32(precision torch.DType) (*network, error) {
	if err := b.check(precision); err != nil {
		return nil, err
	}
	const examples = 4 * batch
	model, err := models.ResNet{Depth: 32, Classes: 10}.New(b.initial())
	if err != nil {
		return nil, err
	}
	g := torch.NewGenerator(3, b.Device)
	set := train.Set{
		X: g.Normal(0, 1, torch.Options{Device: b.Device}, examples, 3, 32, 32),
		Y: g.Integers(0, 10, torch.Options{DType: torch.Int64, Device: b.Device}, examples),
	}
	optimizer := optim.NewSGD(optim.SGD{LearningRate: .1, Momentum: .9, WeightDecay: 2e-4}, model.Parameters())
	return b.train(set, 10, b.autocast(model, precision), optimizer), nil
}
