package losses

import (
	"math"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

// Loss is a training objective over logits.
type Loss interface {
	// Apply returns the mean loss of a batch: logits [N C] in a floating-point
	// dtype, labels [N] of Int64 in [0, C). The result is a scalar that can be
	// differentiated twice.
	Apply(logits, labels torch.Tensor) torch.Tensor
}

// Options configure any loss. Tensors that a loss holds live in the scope where it was made.
type Options struct {
	// Clip limits probabilities to [Clip, 1-Clip] before anything else, with gradient zero outside, as Keras and thus
	// the published code does with 1e-7. It bounds the backward loss. 0: no clipping; the loss is computed in log space.
	Clip float64

	// Settings are the constants of the formula, 0 for the loss's default. Entry.New does not check them against the
	// ranges of Entry.Setting.
	Settings Settings

	// Rows is the number of examples in the training set, for losses that keep state for each.
	Rows int

	// Shares holds P(ỹ=j) for each class j, for losses that need the noise rate. nil: all labels are equally frequent.
	Shares []float64

	// Trusted lists the known true labels by index in the training set, for losses that train on them.
	Trusted []correction.Trusted

	// Targets holds class probabilities or likelihoods [Rows C] for the training set, for losses that train on them in
	// place of labels.
	Targets []float32

	// DType and Device have to match the logits.
	torch.Options
}

// formula is a loss as a function of log-probabilities l = log softmax(z), [N C].
type formula struct {
	// value returns the mean loss of the batch, a scalar.
	value func(l, labels torch.Tensor) torch.Tensor

	// weights returns -N dvalue/dl in closed form [N C]; nil: autograd differentiates value.
	weights func(l, labels torch.Tensor) torch.Tensor

	sums bool // the weights of an example need not sum to 1
}

// linear is the formula -sum_k w_k l_k with weights w whose gradient is zero.
func linear(weights func(l, labels torch.Tensor) torch.Tensor) formula {
	return formula{weights: weights, value: func(l, labels torch.Tensor) torch.Tensor {
		return weights(l, labels).Mul(l).Sum().DivScalar(-float64(l.Size(0)))
	}}
}

// byAutograd is the formula of a value that autograd differentiates.
func byAutograd(value func(l, labels torch.Tensor) torch.Tensor) formula {
	return formula{value: value}
}

// oneHot returns the rows e_y of labels [N], like l [N C].
func oneHot(l, labels torch.Tensor) torch.Tensor {
	return torch.ZerosLike(l).ScatterValue(1, labels.Unsqueeze(1), 1)
}

// atLabels returns a times the mean over the batch of the entries of x [N C] at the labels.
func atLabels(a float64, x, labels torch.Tensor) torch.Tensor {
	return x.Mul(oneHot(x, labels)).Sum().MulScalar(a / float64(x.Size(0)))
}

// softmaxLoss makes a Loss of a formula. A gradient in closed form goes through the softmax by
//
//	dL/dz = p sum_k w_k - w    with w = -dL/dl
//
// which is p - e_y for cross-entropy, and p - q for forward correction. Their
// sum is 1 unless clipping has zeroed parts of w.
type softmaxLoss struct {
	formula
	clip float64
}

func (s *softmaxLoss) Apply(logits, labels torch.Tensor) torch.Tensor {
	if s.weights == nil {
		return s.value(s.clipped(logits.LogSoftmax(1)), labels)
	}
	return torch.Apply(s, logits, labels)
}

// Forward implements torch.Function.
func (s *softmaxLoss) Forward(ctx *torch.Context, inputs ...torch.Tensor) torch.Tensor {
	logits, labels := inputs[0], inputs[1]
	l := logits.LogSoftmax(1)
	clipped := s.clipped(l)
	ctx.Save(logits, labels, l, clipped)
	return s.value(clipped, labels)
}

// Backward implements torch.Function.
func (s *softmaxLoss) Backward(ctx *torch.Context, grad torch.Tensor) []torch.Tensor {
	saved := ctx.Saved()
	logits, labels, l, clipped := saved[0], saved[1], saved[2], saved[3]
	if torch.GradEnabled() { // the gradient may be differentiated again, so l must depend on z
		l = logits.LogSoftmax(1)
		clipped = s.clipped(l)
	}
	p, w := l.Exp(), s.weights(clipped, labels)
	if s.clip > 0 {
		w = w.Mul(l.Eq(clipped))
	}
	if s.clip > 0 || s.sums {
		p = p.Mul(w.SumKeep(1))
	}
	scale := grad.DivScalar(float64(logits.Size(0)))
	return []torch.Tensor{p.Sub(w).Mul(scale), {}}
}

func (s *softmaxLoss) clipped(l torch.Tensor) torch.Tensor {
	if s.clip == 0 {
		return l
	}
	return l.Clamp(math.Log(s.clip), math.Log1p(-s.clip))
}
