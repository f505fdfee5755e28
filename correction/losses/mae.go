package losses

import "github.com/losscorr/losscorr/torch"

var maeEntry = Entry{
	Name: "mae", Title: "MAE", About: "the mean absolute error of the probabilities", Clips: true,
	New: afterSoftmax(NewMAE),
}

// NewMAE is the mean absolute error between the probabilities and the one-hot label,
// MAE in Ghosh, Kumar and Sastry, "Robust Loss Functions under Label Noise for Deep
// Neural Networks" (AAAI 2017), which they show to tolerate symmetric noise:
//
//	L(z, y) = sum_k |e_y - p|_k = 2 - 2 p_y
//	dL/dz   = 2 p_y (p - e_y)
//
// It has no constants. The gradient of an example that the network finds unlikely is
// small, so that the loss learns slowly where there are many classes.
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewMAE(classes int, o Options) Loss {
	return &softmaxLoss{rule: mae{newTargets(classes, o.Options, nil)}, name: "mae", clip: o.Clip, sums: true}
}

type mae struct{ oneHot targets }

func (m mae) value(l, labels torch.Tensor) torch.Tensor {
	return m.weights(l, labels).Sum().DivScalar(-float64(l.Size(0))).AddScalar(2)
}

func (m mae) weights(l, labels torch.Tensor) torch.Tensor {
	return m.oneHot.of(labels).Mul(l.Exp()).MulScalar(2)
}
