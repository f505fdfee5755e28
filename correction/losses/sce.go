package losses

import "github.com/losscorr/losscorr/torch"

var (
	sceEntry = Entry{
		Name: "sce", Title: "SCE", About: "cross-entropy, and its reverse", Clips: true, Settings: sceSettings,
		New: afterSoftmax(NewSCE),
	}
	sceSettings = []Setting{{"alpha", .1, aboveZero}, {"beta", 1, aboveZero}, {"log_zero", logOfZero, belowZero}}
)

// logOfZero is what takes the place of log 0 in reverse cross-entropy by default: A of Wang
// et al., -4 in their text. Their program and that of Ma et al. clip labels at 1e-4, which
// is A = log 1e-4 = -9.21.
const logOfZero = -4

// NewSCE is the symmetric cross-entropy of Wang, Ma, Chen, Luo, Yi and Bailey,
// "Symmetric Cross Entropy for Robust Learning with Noisy Labels" (ICCV 2019), a
// weighted sum of cross-entropy and reverse cross-entropy, with log 0 = A:
//
//	L(z, y) = alpha (-log p_y) + beta (-sum_k p_k log e_yk) = -alpha log p_y - beta A (1 - p_y)
//	dL/dz   = (alpha - beta A p_y) (p - e_y)
//
// Settings.Alpha and Settings.Beta are above 0, .1 and 1 by default as in the paper for
// CIFAR-10, and Settings.LogZero is A, below 0, by default -4.
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewSCE(classes int, o Options) Loss {
	s := complete(sceSettings, o.Settings)
	return &softmaxLoss{rule: sce{newTargets(classes, o.Options, nil), s.Alpha, s.Beta, s.LogZero}, name: "sce",
		clip: o.Clip, sums: true}
}

type sce struct {
	oneHot               targets
	alpha, beta, logZero float64
}

func (s sce) value(l, labels torch.Tensor) torch.Tensor {
	reverse := reverseCrossEntropy(l, s.oneHot.of(labels), s.logZero)
	return l.NLLLoss(labels).MulScalar(s.alpha).Add(reverse.MulScalar(s.beta))
}

func (s sce) weights(l, labels torch.Tensor) torch.Tensor {
	return s.oneHot.of(labels).Mul(l.Exp().MulScalar(-s.beta * s.logZero).AddScalar(s.alpha))
}

// reverseCrossEntropy is -A (1 - p_y), the mean over log-probabilities l with one-hot
// labels e.
func reverseCrossEntropy(l, e torch.Tensor, logZero float64) torch.Tensor {
	return l.Exp().Mul(e).Sum().DivScalar(-float64(l.Size(0))).AddScalar(1).MulScalar(-logZero)
}
