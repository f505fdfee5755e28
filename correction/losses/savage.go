package losses

import "github.com/losscorr/losscorr/torch"

// savageEntry is the Savage loss (Masnadi-Shirazi and Vasconcelos, "On the Design of Loss Functions for
// Classification", NIPS 2008) as in the code published with the paper, on the outputs of a softmax and with targets 0
// and 1:
//
//	L(z, y) = 1/c ((c-1)/4 + s^2),    s = sigma(-2 p_y)
//	dL/dz   = w (p - e_y),            w = 4/c s^2 (1-s) p_y
//
// Its margins lie in [0, 1] instead of on the whole line, so its gradient is small: at p = 1/c the weight w, relative
// to the gradient of cross-entropy, is 4.5e-3 for 10 classes and 4.9e-5 for 100. The published code clips p, as
// Options.Clip does.
var savageEntry = ofProbabilities(Entry{
	Name: "savage", About: "the Savage loss of probabilities",
}, func(classes int, _ Settings) formula {
	margins := func(l, labels torch.Tensor) torch.Tensor { return l.Exp().Mul(oneHot(l, labels)) }
	return formula{
		value: func(l, labels torch.Tensor) torch.Tensor { return savage.phi(margins(l, labels)).Mean() },
		weights: func(l, labels torch.Tensor) torch.Tensor {
			m := margins(l, labels)
			return savage.slope(m).Mul(m).DivScalar(-float64(classes))
		},
		sums: true,
	}
})

// savageLogitsEntry is the Savage loss on logits h with targets s = +-1, as its authors
// define it:
//
//	L(h, y) = 1/c sum_k sigma(-2 s_k h_k)^2
//	dL/dh_k = -4/c s_k sigma(-2 s_k h_k)^2 sigma(2 s_k h_k)
var savageLogitsEntry = ofMargins(Entry{
	Name: "savage-logits", FormOf: "savage", About: "the Savage loss of logits with targets of ±1",
}, savage, true)

var savage = margin{
	phi: func(m torch.Tensor) torch.Tensor { return m.MulScalar(-2).Sigmoid().Square() },
	slope: func(m torch.Tensor) torch.Tensor {
		return m.MulScalar(-2).Sigmoid().Square().Mul(m.MulScalar(2).Sigmoid()).MulScalar(-4)
	},
}
