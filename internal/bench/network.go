package main

import (
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/training"
)

const (
	batch    = 128
	examples = 12800
)

// network is the MNIST network in training. Its tensors live as long as the
// program.
type network struct {
	set       training.Set
	model     nn.Module
	loss      correction.Loss
	optimizer optim.Optimizer
	dropout   *torch.Generator
	shuffle   *torch.Generator
}

func newNetwork(data string) (*network, error) {
	mnist, err := dataset.Open("mnist", dataset.Options{Root: filepath.Dir(data)})
	if err != nil {
		return nil, err
	}
	labels := make([]int64, examples)
	for i := range labels {
		labels[i] = int64(mnist.Train.Labels[i])
	}
	x := torch.FromSlice(mnist.Train.X[:examples*784], examples, 784).ToDType(torch.Float32)
	x.MulScalarInPlace(1.0 / 255)
	n := &network{set: training.Set{X: x, Y: torch.FromSlice(labels)}}
	n.build()
	return n, nil
}

// another is a second network on the same data.
func (n *network) another() *network {
	other := &network{set: n.set}
	other.build()
	return other
}

func (n *network) build() {
	init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"}
	n.model, _ = models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(init) // the scheme is known
	n.loss = correction.NewCrossEntropy(10, correction.LossOptions{})
	n.optimizer = optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, n.model.Parameters())
	n.dropout, n.shuffle = torch.NewGenerator(1, torch.CPU), torch.NewGenerator(2, torch.CPU)
}

// run is the time of that many steps.
func (n *network) run(steps int) (d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	torch.Scope(func() {
		rows := n.shuffle.Permutation(examples)
		begun := time.Now()
		for step := range steps {
			torch.Scope(func() {
				x, y := n.set.Take(rows.Narrow(0, step*batch%examples, batch))
				loss := n.loss.Apply(n.model.Forward(x, nn.Train(n.dropout)), y)
				n.optimizer.ZeroGrad()
				loss.Backward()
				n.optimizer.Step()
			})
		}
		d = time.Since(begun)
	})
	return d
}
