package losses

import "github.com/losscorr/losscorr/torch"

var crossEntropyEntry = ofProbabilities(Entry{
	Name: FirstLoss, About: "the negative log-likelihood of the given label",
}, func(int, Settings) formula { return crossEntropy })

// crossEntropy assumes that every label is right:
//
//	L(z, y) = -log p_y,    dL/dz = p - e_y
var crossEntropy = formula{
	value:   func(l, labels torch.Tensor) torch.Tensor { return l.NLLLoss(labels) },
	weights: oneHot,
}

// NewCrossEntropy returns the uncorrected loss, -log p_y.
func NewCrossEntropy(o Options) Loss { return &softmaxLoss{crossEntropy, o.Clip} }
