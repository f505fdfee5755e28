package correction

import (
	"math"

	"github.com/losscorr/losscorr/torch"
)

// Loss is a training objective over logits.
type Loss interface {
	// Name is what configurations and tables call it.
	Name() string

	// Apply is the mean loss of a batch: logits [N C] in a floating-point dtype,
	// labels [N] of Int64 in [0, C). The result is a scalar that can be
	// differentiated twice.
	Apply(logits, labels torch.Tensor) torch.Tensor
}

// LossOptions are what the losses have in common.
type LossOptions struct {
	// Clip limits probabilities to [Clip, 1-Clip] before anything else, with
	// gradient zero outside, as Keras and so the published code does with 1e-7.
	// For backward it is what bounds the loss. 0: computed in log space, without.
	Clip float64

	// DType and Device are those of the logits.
	torch.Options
}

// rule is a loss as a function of log-probabilities l = log softmax(z), [N C].
type rule interface {
	// value is the loss of each example, [N].
	value(l, labels torch.Tensor) torch.Tensor

	// weights is -dvalue/dl in closed form, [N C].
	weights(l, labels torch.Tensor) torch.Tensor
}

// softmaxLoss makes a Loss of a rule. The gradient goes through the softmax by
//
//	dL/dz = p sum_k w_k - w    with w = -dL/dl
//
// which is p - e_y for cross-entropy, and p - q for forward correction.
type softmaxLoss struct {
	rule
	name string
	clip float64
}

func (s *softmaxLoss) Name() string { return s.name }

func (s *softmaxLoss) Apply(logits, labels torch.Tensor) torch.Tensor {
	return torch.Apply(s, logits, labels)
}

// Forward implements torch.Function.
func (s *softmaxLoss) Forward(ctx *torch.Context, inputs ...torch.Tensor) torch.Tensor {
	logits, labels := inputs[0], inputs[1]
	l := logits.LogSoftmax(1)
	ctx.Save(logits, labels, l)
	return s.value(s.clipped(l), labels).Mean()
}

// Backward implements torch.Function.
func (s *softmaxLoss) Backward(ctx *torch.Context, grad torch.Tensor) []torch.Tensor {
	saved := ctx.Saved()
	logits, labels, l := saved[0], saved[1], saved[2]
	if torch.GradEnabled() { // the gradient will be differentiated: l must depend on z
		l = logits.LogSoftmax(1)
	}
	w := s.weights(s.clipped(l), labels)
	if s.clip > 0 {
		inside := l.GtScalar(math.Log(s.clip)).LogicalAnd(l.LtScalar(math.Log1p(-s.clip)))
		w = w.Mul(inside)
	}
	dz := l.Exp().Mul(w.SumKeep(1)).Sub(w)
	return []torch.Tensor{dz.Mul(grad.DivScalar(float64(logits.Size(0)))), {}}
}

func (s *softmaxLoss) clipped(l torch.Tensor) torch.Tensor {
	if s.clip == 0 {
		return l
	}
	return l.Clamp(math.Log(s.clip), math.Log1p(-s.clip))
}
