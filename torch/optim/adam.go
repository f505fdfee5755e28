package optim

import (
	"cmp"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

var adamEntry = Entry{Name: "adam", About: "steps scaled by running means of the gradient and its square",
	New: func(s Settings, params []nn.Parameter) Optimizer {
		return NewAdam(Adam{LearningRate: s.LearningRate, Epsilon: s.Epsilon, WeightDecay: s.WeightDecay}, params)
	}}

// Adam scales steps by running means of the gradient and of its square (Kingma
// and Ba, 2015), at step n:
//
//	g = grad + WeightDecay p
//	m = Beta1 m + (1 - Beta1) g
//	v = Beta2 v + (1 - Beta2) g^2
//	p = p - LearningRate (m / (1 - Beta1^n)) / (sqrt(v / (1 - Beta2^n)) + Epsilon)
//
// The steps are counted for all parameters together.
type Adam struct {
	LearningRate float64
	Beta1        float64 // 0 is .9
	Beta2        float64 // 0 is .999
	Epsilon      float64 // 0 is 1e-8
	WeightDecay  float64
}

// NewAdam makes the optimizer of params. Its state is exp_avg and exp_avg_sq.
func NewAdam(c Adam, params []nn.Parameter) Optimizer {
	c.Beta1, c.Beta2, c.Epsilon = cmp.Or(c.Beta1, .9), cmp.Or(c.Beta2, .999), cmp.Or(c.Epsilon, 1e-8)
	o := newOptimizer(params, c.LearningRate, c.WeightDecay, "exp_avg", "exp_avg_sq")
	o.move = func(o *optimizer, g group) {
		torch.Adam{
			LearningRate: o.rate, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon, WeightDecay: g.decay, Rate: g.rate,
			Count: o.done,
		}.Step(g.params, g.buffers[0], g.buffers[1], o.steps)
	}
	return o
}
