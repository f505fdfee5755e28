package optim

import (
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

var sgdEntry = Entry{Name: "sgd", About: "stochastic gradient descent", Momentum: true,
	New: func(s Settings, params []nn.Parameter) Optimizer {
		return NewSGD(SGD{LearningRate: s.LearningRate, Momentum: s.Momentum, WeightDecay: s.WeightDecay}, params)
	}}

// SGD is stochastic gradient descent. NewSGD sets its Rate.
type SGD = torch.SGD

// NewSGD makes the optimizer of params. Its state is momentum_buffer, if Momentum is not 0.
func NewSGD(c SGD, params []nn.Parameter) Optimizer {
	var kinds []string
	if c.Momentum != 0 {
		kinds = []string{"momentum_buffer"}
	}
	o := newOptimizer(params, c.LearningRate, c.WeightDecay, kinds...)
	o.move = func(o *optimizer, g group) {
		var momenta []torch.Tensor
		if c.Momentum != 0 {
			momenta = g.buffers[0]
		}
		c.LearningRate, c.WeightDecay, c.Rate = o.rate, g.decay, g.rate
		c.Step(g.params, momenta)
	}
	return o
}
