package losses

import "github.com/losscorr/losscorr/torch"

// The weights b of the given label in the targets, from Reed et al.
const (
	softShare = .95
	hardShare = .8
)

// bootstrapSoftEntry is the soft bootstrapping of Reed et al. ("Training Deep Neural Networks on Noisy Labels with
// Bootstrapping", ICLR 2015 workshop): the network's own prediction is part of the target, and the gradient flows
// through it:
//
//	L(z, y) = -sum_k (b e_y + (1-b) p)_k log p_k,    b = .95
//	dL/dz   = p sum_k w_k - w,    w_k = b [k=y] + (1-b) p_k (1 + log p_k)
var bootstrapSoftEntry = ofProbabilities(Entry{
	Name: "bootstrap-soft", About: "cross-entropy with targets mixed with the prediction",
}, func(int, Settings) formula {
	given := func(l, labels torch.Tensor) torch.Tensor { return oneHot(l, labels).MulScalar(softShare) }
	return formula{
		value: func(l, labels torch.Tensor) torch.Tensor {
			target := given(l, labels).Add(l.Exp().MulScalar(1 - softShare))
			return target.Mul(l).Sum().DivScalar(-float64(l.Size(0)))
		},
		weights: func(l, labels torch.Tensor) torch.Tensor {
			return given(l, labels).Add(l.Exp().Mul(l.AddScalar(1)).MulScalar(1 - softShare))
		},
		sums: true,
	}
})

// bootstrapHardEntry is the hard bootstrapping of Reed et al.: the class that the network finds likeliest is part of
// the target, as if it were given:
//
//	L(z, y) = -sum_k t_k log p_k,    t = b e_y + (1-b) e_argmax(p),    b = .8
//	dL/dz   = p - t
var bootstrapHardEntry = ofProbabilities(Entry{
	Name: "bootstrap-hard", About: "cross-entropy with targets mixed with the likeliest class",
}, func(int, Settings) formula {
	return linear(func(l, labels torch.Tensor) torch.Tensor {
		given, own := oneHot(l, labels), oneHot(l, l.Argmax(1))
		return given.MulScalar(hardShare).Add(own.MulScalar(1 - hardShare))
	})
})
