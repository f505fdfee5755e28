package losses

import "github.com/losscorr/losscorr/torch"

// MarginOptions are the options of all losses of margins.
type MarginOptions struct {
	// Symmetric uses targets of +-1, as the theory does. Without it targets are 0
	// and 1, as in the published code: only the logit of the given label counts.
	Symmetric bool

	// DType and Device are those of the logits.
	torch.Options
}

// margin is a function of the margin m of a class.
type margin interface {
	value(m torch.Tensor) torch.Tensor // phi(m)
	slope(m torch.Tensor) torch.Tensor // phi'(m), of differentiable operations
}

// marginLoss makes a Loss of logits h, without a softmax, of a margin function:
//
//	L(h, y)  = 1/c sum_k phi(s_k h_k)
//	dL/dh_k  = 1/c s_k phi'(s_k h_k)
//
// with targets s_y = 1 and, for k≠y, s_k = 0 as published or -1 if symmetric.
type marginLoss struct {
	margin
	name  string
	signs targets // s
}

func newMarginLoss(m margin, name string, classes int, o MarginOptions) *marginLoss {
	var both func(oneHot torch.Tensor) torch.Tensor
	if o.Symmetric {
		both = func(oneHot torch.Tensor) torch.Tensor { return oneHot.MulScalar(2).SubScalar(1) }
		name += "-symmetric"
	}
	return &marginLoss{margin: m, name: name, signs: newTargets(classes, o.Options, both)}
}

func (s *marginLoss) Name() string { return s.name }

func (s *marginLoss) Apply(logits, labels torch.Tensor) torch.Tensor {
	return torch.Apply(s, logits, labels)
}

// Forward implements torch.Function.
func (s *marginLoss) Forward(ctx *torch.Context, inputs ...torch.Tensor) torch.Tensor {
	logits := inputs[0]
	signs := s.signs.of(inputs[1])
	ctx.Save(logits, signs)
	return s.value(logits.Mul(signs)).Mean()
}

// Backward implements torch.Function.
func (s *marginLoss) Backward(ctx *torch.Context, grad torch.Tensor) []torch.Tensor {
	saved := ctx.Saved()
	logits, signs := saved[0], saved[1]
	scale := grad.DivScalar(float64(logits.Numel()))
	return []torch.Tensor{s.slope(logits.Mul(signs)).Mul(signs).Mul(scale), {}}
}
