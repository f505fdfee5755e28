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

// Adam scales steps by running means of the gradient and of its square. NewAdam sets its Rate and Count. The steps are
// counted for all parameters together.
type Adam = torch.Adam

// NewAdam makes the optimizer of params. Beta1 0 is .9, Beta2 0 is .999 and Epsilon 0 is 1e-8. Its state is exp_avg
// and exp_avg_sq.
func NewAdam(c Adam, params []nn.Parameter) Optimizer {
	c.Beta1, c.Beta2, c.Epsilon = cmp.Or(c.Beta1, .9), cmp.Or(c.Beta2, .999), cmp.Or(c.Epsilon, 1e-8)
	o := newOptimizer(params, c.LearningRate, c.WeightDecay, "exp_avg", "exp_avg_sq")
	o.move = func(o *optimizer, g group) {
		c.LearningRate, c.WeightDecay, c.Rate, c.Count = o.rate, g.decay, g.rate, o.done
		c.Step(g.params, g.buffers[0], g.buffers[1], o.steps)
	}
	return o
}
