package losses

import "github.com/losscorr/losscorr/torch"

// logOfZero replaces log 0 in reverse cross-entropy by default: A of Wang et al., -4 in their text. Their program and
// Ma et al.'s clip labels at 1e-4, which is A = log 1e-4 = -9.21.
const logOfZero = -4

// sceEntry is the symmetric cross-entropy of Wang, Ma, Chen, Luo, Yi and Bailey,
// "Symmetric Cross Entropy for Robust Learning with Noisy Labels" (ICCV 2019), a
// weighted sum of cross-entropy and reverse cross-entropy, with log 0 = A:
//
//	L(z, y) = alpha (-log p_y) + beta (-sum_k p_k log e_yk) = -alpha log p_y - beta A (1 - p_y)
//	dL/dz   = (alpha - beta A p_y) (p - e_y)
//
// Settings.Alpha and Settings.Beta are above 0, .1 and 1 by default as in the paper for
// CIFAR-10, and Settings.LogZero is A, below 0, by default -4.
var sceEntry = ofProbabilities(Entry{
	Name: "sce", Title: "SCE", About: "cross-entropy, and its reverse",
	Settings: []Setting{{"alpha", .1, aboveZero}, {"beta", 1, aboveZero}, {"log_zero", logOfZero, belowZero}},
}, func(_ int, s Settings) formula {
	a := s.Beta * s.LogZero
	return byAutograd(func(l, labels torch.Tensor) torch.Tensor {
		return atLabels(1, l.Exp().MulScalar(a).Sub(l.MulScalar(s.Alpha)), labels).SubScalar(a)
	})
})
