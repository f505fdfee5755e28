package losses

import "github.com/losscorr/losscorr/torch"

var crossEntropyEntry = Entry{
	Name: FirstLoss, About: "the negative log-likelihood of the given label", Clips: true,
	New: afterSoftmax(NewCrossEntropy),
}

// NewCrossEntropy is the uncorrected loss, which assumes that every label is right:
//
//	L(z, y) = -log p_y,    dL/dz = p - e_y
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewCrossEntropy(classes int, o Options) Loss {
	return &softmaxLoss{rule: crossEntropy{newTargets(classes, o.Options, nil)}, name: "cross-entropy", clip: o.Clip}
}

type crossEntropy struct{ oneHot targets }

func (crossEntropy) value(l, labels torch.Tensor) torch.Tensor {
	return l.NLLLoss(labels)
}

func (c crossEntropy) weights(_, labels torch.Tensor) torch.Tensor {
	return c.oneHot.of(labels)
}
