package losses

import "github.com/losscorr/losscorr/torch"

var (
	sigmoidEntry = ofMargins(Entry{
		Name: "sigmoid", About: "the sigmoid loss of the given label's logit", BatchNorm: true,
	}, sigmoid, false)
	sigmoidSymmetricEntry = ofMargins(Entry{
		Name: "sigmoid-symmetric", FormOf: "sigmoid", About: "the sigmoid loss of all logits, with targets of ±1",
		BatchNorm: true,
	}, sigmoid, true)
)

// sigmoid is the sigmoid loss, which Ghosh, Manwani and Sastry ("Making Risk
// Minimization Tolerant to Label Noise", Neurocomputing 2015) show to tolerate
// symmetric noise, on logits h that batch normalisation bounds ([Entry].BatchNorm):
//
//	L(h, y) = 1/c sum_k sigma(-s_k h_k)
//	dL/dh_k = -s_k/c sigma(s_k h_k) sigma(-s_k h_k)
var sigmoid = margin{
	phi:   func(m torch.Tensor) torch.Tensor { return m.Neg().Sigmoid() },
	slope: func(m torch.Tensor) torch.Tensor { return m.Sigmoid().Mul(m.Neg().Sigmoid()).Neg() },
}
