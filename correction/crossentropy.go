package correction

import "github.com/losscorr/losscorr/torch"

// NewCrossEntropy is the loss that trusts every label:
//
//	L(z, y) = -log p_y,    dL/dz = p - e_y
func NewCrossEntropy(o LossOptions) Loss {
	return &softmaxLoss{rule: crossEntropy{}, name: "cross-entropy", clip: o.Clip}
}

type crossEntropy struct{}

func (crossEntropy) value(l, labels torch.Tensor) torch.Tensor {
	return l.Gather(1, labels.Unsqueeze(1)).Squeeze(1).Neg()
}

func (crossEntropy) weights(l, labels torch.Tensor) torch.Tensor {
	return torch.ZerosLike(l).ScatterValue(1, labels.Unsqueeze(1), 1)
}
