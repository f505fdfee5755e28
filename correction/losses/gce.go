package losses

import "github.com/losscorr/losscorr/torch"

// gceEntry is the generalized cross-entropy of Zhang and Sabuncu, "Generalized Cross
// Entropy Loss for Training Deep Neural Networks with Noisy Labels" (NeurIPS 2018),
// Equation 6, the loss L_q without truncation:
//
//	L(z, y) = (1 - p_y^q) / q
//	dL/dz   = p_y^q (p - e_y)
//
// Settings.Q is q in (0, 1], .7 by default as in the paper. The limit q = 0 is cross-entropy, and q = 1 is half the
// mean absolute error.
var gceEntry = ofProbabilities(Entry{
	Name: "gce", Title: "GCE", About: "between cross-entropy and the mean absolute error",
	Settings: []Setting{{"q", .7, Range{Low: 0, High: 1, Closed: true}}},
}, func(_ int, s Settings) formula {
	return byAutograd(func(l, labels torch.Tensor) torch.Tensor {
		return atLabels(-1/s.Q, l.MulScalar(s.Q).Exp(), labels).AddScalar(1 / s.Q) // p^q without 0^q
	})
})
