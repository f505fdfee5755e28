package losses

import "github.com/losscorr/losscorr/torch"

// nceRCEEntry is NCE+RCE of Ma, Huang, Wang, Romano, Erfani and Bailey, "Normalized Loss
// Functions for Deep Learning with Noisy Labels" (ICML 2020), an active and a passive loss
// together: a normalized cross-entropy, which is robust but learns slowly, and the
// reverse cross-entropy of sceEntry, with log 0 = A:
//
//	L(z, y) = alpha log p_y / sum_k log p_k - beta A (1 - p_y)
//	dL/dz   = p sum_k w_k - w,    w_k = -alpha ([k=y]/S - log p_y/S^2) - beta A [k=y] p_y,    S = sum_k log p_k
//
// Settings.Alpha and Settings.Beta are above 0, both 1 by default as in the paper for
// CIFAR-10, and Settings.LogZero is A, below 0, by default -4.
var nceRCEEntry = ofProbabilities(Entry{
	Name: "nce-rce", Title: "NCE+RCE", About: "normalized and reverse cross-entropy",
	Settings: []Setting{{"alpha", 1, aboveZero}, {"beta", 1, aboveZero}, {"log_zero", logOfZero, belowZero}},
}, func(_ int, s Settings) formula {
	a := s.Beta * s.LogZero
	return byAutograd(func(l, labels torch.Tensor) torch.Tensor {
		given := l.Gather(1, labels.Unsqueeze(1))
		normalized := given.Div(l.SumKeep(1)).MulScalar(s.Alpha)
		return normalized.Add(given.Exp().MulScalar(a)).Mean().SubScalar(a)
	})
})
