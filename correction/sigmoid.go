package correction

import "github.com/losscorr/losscorr/torch"

// NewSigmoid is the sigmoid loss, which Ghosh, Manwani and Sastry ("Making Risk
// Minimization Tolerant to Label Noise", Neurocomputing 2015) show to tolerate
// symmetric noise, on logits h that batch normalisation bounds:
//
//	L(h, y) = 1/c sum_k sigma(-s_k h_k)
//	dL/dh_k = -s_k/c sigma(s_k h_k) sigma(-s_k h_k)
//
// with targets s as MarginOptions says. See NeedsBatchNorm. The result holds a
// tensor of classes by classes that lives in the caller's scope.
func NewSigmoid(classes int, o MarginOptions) Loss {
	l := newMarginLoss(sigmoid{}, "sigmoid", classes, o)
	l.bounded = true
	return l
}

type sigmoid struct{}

func (sigmoid) value(m torch.Tensor) torch.Tensor { return m.Neg().Sigmoid() }

func (sigmoid) slope(m torch.Tensor) torch.Tensor {
	return m.Sigmoid().Mul(m.Neg().Sigmoid()).Neg()
}
