package losses

import "github.com/losscorr/losscorr/torch"

var (
	bootstrapSoftEntry = Entry{
		Name: "bootstrap-soft", About: "cross-entropy with targets mixed with the prediction", Clips: true,
		New: afterSoftmax(NewBootstrapSoft),
	}
	bootstrapHardEntry = Entry{
		Name: "bootstrap-hard", About: "cross-entropy with targets mixed with the likeliest class", Clips: true,
		New: afterSoftmax(NewBootstrapHard),
	}
)

// The weights b of the given label in the targets of bootstrapping, from Reed et al.
const (
	softShare = .95
	hardShare = .8
)

// NewBootstrapSoft is the soft bootstrapping of Reed et al. ("Training Deep
// Neural Networks on Noisy Labels with Bootstrapping", ICLR 2015 workshop): the
// network's own prediction is a part of the target, and the gradient goes
// through it,
//
//	L(z, y) = -sum_k (b e_y + (1-b) p)_k log p_k,    b = .95
//	dL/dz   = p sum_k w_k - w,    w_k = b [k=y] + (1-b) p_k (1 + log p_k)
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewBootstrapSoft(classes int, o Options) Loss {
	return &softmaxLoss{
		rule: bootstrapSoft{newTargets(classes, o.Options, softTarget)},
		name: "bootstrap-soft", clip: o.Clip, sums: true,
	}
}

func softTarget(oneHot torch.Tensor) torch.Tensor { return oneHot.MulScalar(softShare) }

type bootstrapSoft struct{ given targets } // b e_y

func (b bootstrapSoft) value(l, labels torch.Tensor) torch.Tensor {
	target := b.given.of(labels).Add(l.Exp().MulScalar(1 - softShare))
	return target.Mul(l).Sum().DivScalar(-float64(l.Size(0)))
}

func (b bootstrapSoft) weights(l, labels torch.Tensor) torch.Tensor {
	own := l.Exp().Mul(l.AddScalar(1)).MulScalar(1 - softShare)
	return b.given.of(labels).Add(own)
}

// NewBootstrapHard is the hard bootstrapping of Reed et al. (see
// NewBootstrapSoft): the class that the network finds likeliest is a part of the
// target, as if it were given,
//
//	L(z, y) = -sum_k t_k log p_k,    t = b e_y + (1-b) e_argmax(p),    b = .8
//	dL/dz   = p - t
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewBootstrapHard(classes int, o Options) Loss {
	return &softmaxLoss{rule: bootstrapHard{newTargets(classes, o.Options, nil)}, name: "bootstrap-hard", clip: o.Clip}
}

type bootstrapHard struct{ oneHot targets }

func (b bootstrapHard) value(l, labels torch.Tensor) torch.Tensor {
	return b.weights(l, labels).Mul(l).Sum().DivScalar(-float64(l.Size(0)))
}

func (b bootstrapHard) weights(l, labels torch.Tensor) torch.Tensor {
	given, own := b.oneHot.of(labels), b.oneHot.of(l.Argmax(1))
	return given.MulScalar(hardShare).Add(own.MulScalar(1 - hardShare))
}
