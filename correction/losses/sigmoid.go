package losses

import "github.com/losscorr/losscorr/torch"

var (
	sigmoidEntry = Entry{
		Name: "sigmoid", About: "the sigmoid loss of the given label's logit", BatchNorm: true,
		New: onLogits(NewSigmoid, false),
	}
	sigmoidSymmetricEntry = Entry{
		Name: "sigmoid-symmetric", FormOf: "sigmoid", About: "the sigmoid loss of all logits, with targets of ±1",
		BatchNorm: true, New: onLogits(NewSigmoid, true),
	}
)

// NewSigmoid is the sigmoid loss, which Ghosh, Manwani and Sastry ("Making Risk
// Minimization Tolerant to Label Noise", Neurocomputing 2015) show to tolerate
// symmetric noise, on logits h that batch normalisation bounds:
//
//	L(h, y) = 1/c sum_k sigma(-s_k h_k)
//	dL/dh_k = -s_k/c sigma(s_k h_k) sigma(-s_k h_k)
//
// with targets s as MarginOptions says. See [Entry].BatchNorm. Of up to 512 classes
// the result holds a tensor of classes by classes that lives in the caller's scope.
func NewSigmoid(classes int, o MarginOptions) Loss {
	return newMarginLoss(sigmoid{}, "sigmoid", classes, o)
}

type sigmoid struct{}

func (sigmoid) value(m torch.Tensor) torch.Tensor { return m.Neg().Sigmoid() }

func (sigmoid) slope(m torch.Tensor) torch.Tensor {
	return m.Sigmoid().Mul(m.Neg().Sigmoid()).Neg()
}
