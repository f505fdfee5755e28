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

// AdaGrad divides each parameter's rate by the root of the sum of its squared gradients so far (Duchi et al., 2011):
//
//	g = grad + WeightDecay p
//	s = s + g^2
//	p = p - LearningRate g / (sqrt(s) + Epsilon)
type AdaGrad struct {
	LearningRate float64
	Epsilon      float64 // 0 is 1e-10
	WeightDecay  float64
}

// NewAdaGrad makes the optimizer of params. Its state is sum.
func NewAdaGrad(c AdaGrad, params []nn.Parameter) Optimizer {
	c.Epsilon = cmp.Or(c.Epsilon, 1e-10)
	o := newOptimizer(params, c.LearningRate, c.WeightDecay, "sum")
	o.move = func(o *optimizer, g group) {
		torch.AdaGrad{LearningRate: o.rate, Epsilon: c.Epsilon, WeightDecay: g.decay, Rate: g.rate}.Step(g.params,
			g.buffers[0])
	}
	return o
}
