package doctor

import (
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// steps is how many steps networks are trained; rounding errors grow with each.
const steps = 20

// subject is a network of the paper with examples of its kind. It is small if that keeps
// its structure, and has no dropout, whose masks depend on the device.
type subject struct {
	name       string
	make       func(init nn.Init) (nn.Module, error)
	x          func(d draws) torch.Tensor
	classes, n int
	rate       float64 // factor of the optimizer's learning rate
	rounding   float64 // factor of the allowed deviation
}

func subjects() []subject {
	resnet := func(name string, depth, side, n int) subject {
		return subject{name, models.ResNet{Depth: depth, Classes: 10}.New, func(d draws) torch.Tensor {
			return d.normal(n, 3, side, side)
		}, 10, n, 1, 1}
	}
	return []subject{
		{"mlp", models.MLP{Inputs: 784, Classes: 10}.New, func(d draws) torch.Tensor {
			return d.normal(64, 784)
		}, 10, 64, 1, 1},
		{"embedding", models.Embedding{Words: 500, Length: 60}.New, func(d draws) torch.Tensor {
			return d.integers(500, 64, 60)
		}, 2, 64, 1, 1},
		{"lstm", models.LSTM{Words: 500, Dim: 32, Hidden: 64, OneBias: true}.New, func(d draws) torch.Tensor {
			return d.integers(500, 32, 30)
		}, 2, 32, 1, 1},
		resnet("resnet14", 14, 16, 32), resnet("resnet32", 32, 16, 16), resnet("resnet44", 44, 16, 16),
		// It starts with large gradients, so rounding errors grow fast; small steps limit them.
		{"resnet50", models.ResNet50{Classes: 14}.New, func(d draws) torch.Tensor {
			return d.normal(4, 3, 48, 48)
		}, 14, 4, 1e-5, 30},
	}
}

var optimizers = []struct {
	name    string
	allowed float64
	make    func(params []nn.Parameter) optim.Optimizer
}{
	{"sgd", 1e-3, func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .01, Momentum: .9, WeightDecay: 1e-4}, p)
	}},
	{"adagrad", 1e-3, func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .001, Epsilon: 1e-6}, p)
	}},
	{"adam", 1e-3, func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdam(optim.Adam{LearningRate: 1e-4, Epsilon: 1e-6}, p)
	}},
}

// networks checks the losses of each network with each optimizer, step by step.
func networks() []check {
	var all []check
	for _, s := range subjects() {
		for _, o := range optimizers {
			all = append(all, check{s.name + ", " + o.name, s.rounding * o.allowed, func(m *machine) (float64, error) {
				on := func(options torch.Options, out *[]float64) func() error {
					return func() error {
						return torch.Try(func() (err error) {
							torch.Scope(func() { *out, err = s.train(o.make, options) })
							return err
						})
					}
				}
				var both errgroup.Group // each thread has its own tensors
				var got, want []float64
				both.Go(on(torch.Options{Device: m.Device}, &got))
				both.Go(on(torch.Options{DType: torch.Float64}, &want))
				if err := both.Wait(); err != nil {
					return 0, err
				}
				return deviation(got, want)
			}})
		}
	}
	return all
}

func (s subject) train(make func([]nn.Parameter) optim.Optimizer, o torch.Options) ([]float64, error) {
	network, err := s.make(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: o.DType, Device: o.Device})
	if err != nil {
		return nil, err
	}
	d := newDraws()
	x, labels := s.x(d), d.integers(s.classes, s.n).ToDevice(o.Device)
	if x.DType().IsFloat() {
		x = x.To(o)
	} else {
		x = x.ToDevice(o.Device)
	}
	optimizer := make(network.Parameters())
	optimizer.SetLearningRate(s.rate * optimizer.LearningRate())
	var losses []float64
	for range steps {
		torch.Scope(func() {
			loss := network.Forward(x, nn.Train(nil)).CrossEntropy(labels)
			optimizer.ZeroGrad()
			loss.Backward()
			optimizer.Step()
			losses = append(losses, loss.Item())
		})
	}
	return losses, nil
}
