package losses

import "github.com/losscorr/losscorr/torch"

var (
	nceRCEEntry = Entry{
		Name: "nce-rce", Title: "NCE+RCE", About: "normalized and reverse cross-entropy", Clips: true,
		Settings: nceRCESettings,
		New:      afterSoftmax(NewNCERCE),
	}
	nceRCESettings = []Setting{{"alpha", 1, aboveZero}, {"beta", 1, aboveZero}, {"log_zero", logOfZero, belowZero}}
)

// NewNCERCE is NCE+RCE of Ma, Huang, Wang, Romano, Erfani and Bailey, "Normalized Loss
// Functions for Deep Learning with Noisy Labels" (ICML 2020), an active and a passive loss
// together: a normalized cross-entropy, which is robust but learns slowly, and the
// reverse cross-entropy of NewSCE, with log 0 = A:
//
//	L(z, y) = alpha log p_y / sum_k log p_k - beta A (1 - p_y)
//	dL/dz   = p sum_k w_k - w,    w_k = -alpha ([k=y]/S - log p_y/S^2) - beta A [k=y] p_y,    S = sum_k log p_k
//
// Settings.Alpha and Settings.Beta are above 0, both 1 by default as in the paper for
// CIFAR-10, and Settings.LogZero is A, below 0, by default -4. There have to be two classes or more.
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewNCERCE(classes int, o Options) Loss {
	s := complete(nceRCESettings, o.Settings)
	return &softmaxLoss{rule: nceRCE{newTargets(classes, o.Options, nil), s.Alpha, s.Beta, s.LogZero}, name: "nce-rce",
		clip: o.Clip, sums: true}
}

type nceRCE struct {
	oneHot               targets
	alpha, beta, logZero float64
}

// parts returns the one-hot labels, log p_y [N 1] and S [N 1].
func (n nceRCE) parts(l, labels torch.Tensor) (e, given, sum torch.Tensor) {
	return n.oneHot.of(labels), l.Gather(1, labels.Unsqueeze(1)), l.SumKeep(1)
}

func (n nceRCE) value(l, labels torch.Tensor) torch.Tensor {
	e, given, sum := n.parts(l, labels)
	return given.Div(sum).Mean().MulScalar(n.alpha).Add(reverseCrossEntropy(l, e, n.logZero).MulScalar(n.beta))
}

func (n nceRCE) weights(l, labels torch.Tensor) torch.Tensor {
	e, given, sum := n.parts(l, labels)
	active := e.Sub(given.Div(sum)).Div(sum).MulScalar(-n.alpha)
	return active.Add(e.Mul(l.Exp()).MulScalar(-n.beta * n.logZero))
}
