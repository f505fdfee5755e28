package losses

import "github.com/losscorr/losscorr/torch"

var (
	unhingedEntry = ofMargins(Entry{
		Name: "unhinged", About: "the unhinged loss of the given label's logit", BatchNorm: true,
	}, unhinged, false)
	unhingedSymmetricEntry = ofMargins(Entry{
		Name: "unhinged-symmetric", FormOf: "unhinged", About: "the unhinged loss of all logits, with targets of ±1",
		BatchNorm: true,
	}, unhinged, true)
)

// unhinged is the unhinged loss of van Rooyen, Menon and Williamson
// ("Learning with Symmetric Label Noise: The Importance of Being Unhinged",
// NIPS 2015), on logits h that batch normalisation bounds ([Entry].BatchNorm):
//
//	L(h, y) = 1/c sum_k (1 - s_k h_k),    dL/dh_k = -s_k / c
var unhinged = margin{
	phi:   func(m torch.Tensor) torch.Tensor { return m.Neg().AddScalar(1) },
	slope: func(m torch.Tensor) torch.Tensor { return torch.Full(-1, m.Options(), m.Shape()...) },
}
