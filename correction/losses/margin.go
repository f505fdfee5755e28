package losses

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

// marginLoss is a Loss of logits h, without a softmax, by a function phi of the margin of each class:
//
//	L(h, y)  = 1/c sum_k phi(s_k h_k)
//	dL/dh_k  = 1/c s_k phi'(s_k h_k)
//
// with targets s_y = 1 and, for k≠y, s_k = -1 if symmetric, as in theory, or s_k = 0 otherwise, as in the published
// code, where only the logit of the given label counts.
type marginLoss struct {
	margin
	symmetric bool
}

// margin is a function of the margin m of a class.
type margin struct {
	phi   func(m torch.Tensor) torch.Tensor
	slope func(m torch.Tensor) torch.Tensor // phi'(m), of differentiable operations
}

// ofMargins completes the entry of a loss of margins.
func ofMargins(e Entry, m margin, symmetric bool) Entry {
	e.New = func(*correction.Matrix, Options) (Loss, error) { return &marginLoss{m, symmetric}, nil }
	return e
}

func (s *marginLoss) Apply(logits, labels torch.Tensor) torch.Tensor {
	return torch.Apply(s, logits, labels)
}

// Forward implements torch.Function.
func (s *marginLoss) Forward(ctx *torch.Context, inputs ...torch.Tensor) torch.Tensor {
	logits, signs := inputs[0], oneHot(inputs[0], inputs[1])
	if s.symmetric {
		signs = signs.MulScalar(2).SubScalar(1)
	}
	ctx.Save(logits, signs)
	return s.phi(logits.Mul(signs)).Mean()
}

// Backward implements torch.Function.
func (s *marginLoss) Backward(ctx *torch.Context, grad torch.Tensor) []torch.Tensor {
	saved := ctx.Saved()
	logits, signs := saved[0], saved[1]
	scale := grad.DivScalar(float64(logits.Numel()))
	return []torch.Tensor{s.slope(logits.Mul(signs)).Mul(signs).Mul(scale), {}}
}
