package optim

import (
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// RMSprop divides each parameter's rate by the root of a running mean of its squared
// gradients (Tieleman and Hinton, 2012), as PyTorch does:
//
//	g = grad + WeightDecay p
//	s = Alpha s + (1 - Alpha) g^2
//	u = g / (sqrt(s) + Epsilon)
//	b = Momentum b + u
//	p = p - LearningRate b
//
// Centered divides by the root of the gradient's variance, s minus the square of
// the gradient's own running mean (Graves, 2013).
type RMSprop struct {
	LearningRate float64
	Alpha        float64 // 0 is .99
	Epsilon      float64 // 0 is 1e-8
	Momentum     float64
	Centered     bool
	WeightDecay  float64
	DecayAll     bool // weight decay for biases and normalisations too, as PyTorch's default
	RateFactor   RateFactor
}

// NewRMSprop makes the optimizer of params. Its state is square_avg, grad_avg if
// Centered, and momentum_buffer if there is a Momentum.
func NewRMSprop(c RMSprop, params []nn.Parameter) Optimizer {
	if c.Alpha == 0 {
		c.Alpha = .99
	}
	if c.Epsilon == 0 {
		c.Epsilon = 1e-8
	}
	kinds := []string{"square_avg"}
	if c.Centered {
		kinds = append(kinds, "grad_avg")
	}
	if c.Momentum != 0 {
		kinds = append(kinds, "momentum_buffer")
	}
	o := newOptimizer(params, c.LearningRate, c.WeightDecay, c.DecayAll, c.RateFactor, 0, kinds...)
	o.move = func(o *optimizer, g group) {
		var means, momenta []torch.Tensor
		if c.Centered {
			means = g.buffers[1]
		}
		if c.Momentum != 0 {
			momenta = g.buffers[len(g.buffers)-1]
		}
		torch.RMSprop{
			LearningRate: o.rate * g.factor, Alpha: c.Alpha, Epsilon: c.Epsilon, WeightDecay: g.decay, Rate: g.rate, Momentum: c.Momentum,
		}.Step(g.params, g.buffers[0], means, momenta)
	}
	return o
}
