package losses

import "github.com/losscorr/losscorr/torch"

var (
	gceEntry = Entry{
		Name: "gce", Title: "GCE", About: "between cross-entropy and the mean absolute error", Clips: true,
		Settings: gceSettings,
		New:      afterSoftmax(NewGCE),
	}
	gceSettings = []Setting{{"q", .7, Range{Low: 0, High: 1, Closed: true}}}
)

// NewGCE is the generalized cross-entropy of Zhang and Sabuncu, "Generalized Cross
// Entropy Loss for Training Deep Neural Networks with Noisy Labels" (NeurIPS 2018),
// Equation 6, the loss L_q without truncation:
//
//	L(z, y) = (1 - p_y^q) / q
//	dL/dz   = p_y^q (p - e_y)
//
// Settings.Q is q in (0, 1], .7 by default as in the paper. q towards 0 gives
// cross-entropy, q = 1 half the mean absolute error.
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewGCE(classes int, o Options) Loss {
	q := complete(gceSettings, o.Settings).Q
	return &softmaxLoss{rule: gce{newTargets(classes, o.Options, nil), q}, name: "gce", clip: o.Clip, sums: true}
}

type gce struct {
	oneHot targets
	q      float64
}

func (g gce) value(l, labels torch.Tensor) torch.Tensor {
	n := float64(l.Size(0))
	return g.weights(l, labels).Sum().DivScalar(-n).AddScalar(1).DivScalar(g.q)
}

func (g gce) weights(l, labels torch.Tensor) torch.Tensor {
	return g.oneHot.of(labels).Mul(l.MulScalar(g.q).Exp()) // p^q without 0^q
}
