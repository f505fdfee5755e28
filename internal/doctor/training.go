package doctor

import (
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// lossChecks checks all losses of the table, with T of asymmetric noise, with and without clipping.
func lossChecks() []check {
	var all []check
	for _, e := range losses.All {
		if e.T == losses.EstimatedT {
			continue // computed like known T
		}
		all = append(all, lossCheck(e.Name, e, 0))
		if e.Clips {
			all = append(all, lossCheck(e.Name+", clipped", e, 1e-7))
		}
	}
	return all
}

func lossCheck(name string, e losses.Entry, clip float64) check {
	return check{name, 1e-4, func(device torch.Device) (float64, error) {
		t, err := correction.Asymmetric([]string{"a", "b", "c", "d"}, .4, []correction.Flip{{From: "a", To: "b"},
			{From: "c", To: "d"}})
		if err != nil {
			return 0, err
		}
		d := newDraws()
		logits, labels := d.normal(128, 4), d.integers(4, 128)
		targets := torch.Slice[float32](d.normal(128, 4).Softmax(1).ToDType(torch.Float32))
		return against(device, func(o torch.Options) ([][]float64, error) {
			loss, err := e.New(t, losses.Options{
				Clip: clip, Rows: labels.Size(0), Trusted: []correction.Trusted{{Index: 3, Label: 1}}, Targets: targets, Options: o,
			})
			if err != nil {
				return nil, err
			}
			z := logits.Detach().To(o).SetRequiresGrad(true)
			value := lossOf(loss, e, z, labels.ToDevice(o.Device))
			value.Backward()
			return [][]float64{values(z.Grad()), {value.Item()}}, nil
		})
	}}
}

// lossOf returns a loss as in training for a network with logits z. If the loss trains two
// networks, the other has logits -z.
func lossOf(loss losses.Loss, e losses.Entry, z, labels torch.Tensor) torch.Tensor {
	trainer, ok := loss.(losses.Trainer)
	if !ok {
		return loss.Apply(z, labels)
	}
	return trainer.Train(losses.Batch{
		X: z, Labels: labels, Rows: torch.Arange(0, float64(labels.Size(0)), 1, labels.Options()), Epoch: 100,
		Rand: rand.New(rand.NewPCG(1, 0)),
		Forward: func(x torch.Tensor) torch.Tensor {
			if e.Networks == 2 {
				return torch.Stack(0, x, x.Neg())
			}
			return x
		},
	})
}

// subject is a network of the paper in training, with examples of its kind. It is small if that keeps
// its structure, and has no dropout, whose masks depend on the device.
type subject struct {
	name       string
	make       func(init nn.Init) (nn.Module, error)
	x          func(d draws) torch.Tensor
	classes, n int
	optimizer  func(params []nn.Parameter) optim.Optimizer
	allowed    float64
}

func subjects() []subject {
	images := func(n, side int) func(draws) torch.Tensor {
		return func(d draws) torch.Tensor { return d.normal(n, 3, side, side) }
	}
	words := func(n, length int) func(draws) torch.Tensor {
		return func(d draws) torch.Tensor { return d.integers(500, n, length) }
	}
	sgd := func(rate float64) func(p []nn.Parameter) optim.Optimizer {
		return func(p []nn.Parameter) optim.Optimizer {
			return optim.NewSGD(optim.SGD{LearningRate: rate, Momentum: .9, WeightDecay: 1e-4}, p)
		}
	}
	adaGrad := func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .001, Epsilon: 1e-6}, p)
	}
	adam := func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdam(optim.Adam{LearningRate: 1e-4, Epsilon: 1e-6}, p)
	}
	return []subject{
		{"mlp, adagrad", models.MLP{Inputs: 784, Classes: 10}.New, func(d draws) torch.Tensor {
			return d.normal(64, 784)
		}, 10, 64, adaGrad, 1e-3},
		{"embedding, adagrad", models.Embedding{Words: 500, Length: 60}.New, words(64, 60), 2, 64, adaGrad, 1e-3},
		{"lstm, adam", models.LSTM{Words: 500, Dim: 32, Hidden: 64, OneBias: true}.New, words(32, 30), 2, 32, adam, 1e-3},
		{"resnet14, adam", models.ResNet{Depth: 14, Classes: 10}.New, images(32, 16), 10, 32, adam, 1e-3},
		{"resnet32, sgd", models.ResNet{Depth: 32, Classes: 10}.New, images(16, 16), 10, 16, sgd(.01), 1e-3},
		{"resnet44, sgd", models.ResNet{Depth: 44, Classes: 10}.New, images(16, 16), 10, 16, sgd(.01), 1e-3},
		// It starts with large gradients, so rounding errors grow fast; small steps limit them.
		{"resnet50, sgd", models.ResNet50{Classes: 14}.New, images(4, 48), 14, 4, sgd(1e-7), .03},
	}
}

// networks checks the losses of each network, step by step.
func networks() []check {
	var all []check
	for _, s := range subjects() {
		all = append(all, check{s.name, s.allowed, func(device torch.Device) (float64, error) {
			on := func(options torch.Options, out *[]float64) func() error {
				return func() error {
					return torch.Try(func() (err error) {
						torch.Scope(func() { *out, err = s.train(options) })
						return err
					})
				}
			}
			var both errgroup.Group // each thread has its own tensors
			var got, want []float64
			both.Go(on(torch.Options{Device: device}, &got))
			both.Go(on(torch.Options{DType: torch.Float64}, &want))
			if err := both.Wait(); err != nil {
				return 0, err
			}
			return deviation(got, want)
		}})
	}
	return all
}

func (s subject) train(o torch.Options) (losses []float64, err error) {
	const steps = 20 // rounding errors grow with each
	network, err := s.make(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: o.DType, Device: o.Device})
	if err != nil {
		return nil, err
	}
	d := newDraws()
	x, labels := s.x(d).ToDevice(o.Device), d.integers(s.classes, s.n).ToDevice(o.Device)
	if x.DType().IsFloat() {
		x = x.ToDType(o.DType)
	}
	optimizer := s.optimizer(network.Parameters())
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
