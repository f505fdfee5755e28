package optim

import (
	"cmp"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

var adagradEntry = Entry{Name: "adagrad", About: "steps divided by the root of the squared gradients so far",
	New: func(s Settings, params []nn.Parameter) Optimizer {
		return NewAdaGrad(AdaGrad{LearningRate: s.LearningRate, Epsilon: s.Epsilon, WeightDecay: s.WeightDecay}, params)
	}}

// AdaGrad divides each parameter's rate by the root of the sum of its squared gradients so far. NewAdaGrad sets its
// Rate.
type AdaGrad = torch.AdaGrad

// NewAdaGrad makes the optimizer of params. Epsilon 0 is 1e-10. Its state is sum.
func NewAdaGrad(c AdaGrad, params []nn.Parameter) Optimizer {
	c.Epsilon = cmp.Or(c.Epsilon, 1e-10)
	o := newOptimizer(params, c.LearningRate, c.WeightDecay, "sum")
	o.move = func(o *optimizer, g group) {
		c.LearningRate, c.WeightDecay, c.Rate = o.rate, g.decay, g.rate
		c.Step(g.params, g.buffers[0])
	}
	return o
}
