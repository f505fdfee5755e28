package losses

import "github.com/losscorr/losscorr/torch"

var (
	unhingedEntry = Entry{
		Name: "unhinged", About: "the unhinged loss of the given label's logit", BatchNorm: true,
		New: onLogits(NewUnhinged, false),
	}
	unhingedSymmetricEntry = Entry{
		Name: "unhinged-symmetric", FormOf: "unhinged", About: "the unhinged loss of all logits, with targets of ±1",
		BatchNorm: true, New: onLogits(NewUnhinged, true),
	}
)

// NewUnhinged is the unhinged loss of van Rooyen, Menon and Williamson
// ("Learning with Symmetric Label Noise: The Importance of Being Unhinged",
// NIPS 2015), on logits h that batch normalisation bounds:
//
//	L(h, y) = 1/c sum_k (1 - s_k h_k),    dL/dh_k = -s_k / c
//
// with targets s as MarginOptions says. See [Entry].BatchNorm. Of up to 512 classes
// the result holds a tensor of classes by classes that lives in the caller's scope.
func NewUnhinged(classes int, o MarginOptions) Loss {
	return newMarginLoss(unhinged{}, "unhinged", classes, o)
}

type unhinged struct{}

func (unhinged) value(m torch.Tensor) torch.Tensor { return m.Neg().AddScalar(1) }

func (unhinged) slope(m torch.Tensor) torch.Tensor {
	return torch.Full(-1, m.Options(), m.Shape()...)
}
