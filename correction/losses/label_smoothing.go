package losses

import "github.com/losscorr/losscorr/torch"

var (
	labelSmoothingEntry = Entry{
		Name: "label-smoothing", About: "cross-entropy with targets mixed with the uniform distribution", Clips: true,
		Settings: labelSmoothingSettings,
		New:      afterSoftmax(NewLabelSmoothing),
	}
	labelSmoothingSettings = []Setting{{"smoothing", .1, share}}
)

// NewLabelSmoothing is the label smoothing of Szegedy, Vanhoucke, Ioffe, Shlens and
// Wojna, "Rethinking the Inception Architecture for Computer Vision" (CVPR 2016),
// Section 7, with r their epsilon:
//
//	L(z, y) = -sum_k t_k log p_k,    t = (1-r) e_y + r/c
//	dL/dz   = p - t
//
// Settings.Smoothing is r in (0, 1), .1 by default as in the paper.
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewLabelSmoothing(classes int, o Options) Loss {
	return newSmoothed("label-smoothing", complete(labelSmoothingSettings, o.Settings).Smoothing, classes, o)
}

// newSmoothed is the loss of label smoothing for any r below 1.
func newSmoothed(name string, r float64, classes int, o Options) Loss {
	smooth := func(oneHot torch.Tensor) torch.Tensor { return oneHot.MulScalar(1 - r).AddScalar(r / float64(classes)) }
	return &softmaxLoss{rule: smoothed{newTargets(classes, o.Options, smooth)}, name: name, clip: o.Clip}
}

type smoothed struct{ targets } // t

func (s smoothed) value(l, labels torch.Tensor) torch.Tensor {
	return s.weights(l, labels).Mul(l).Sum().DivScalar(-float64(l.Size(0)))
}

func (s smoothed) weights(_, labels torch.Tensor) torch.Tensor {
	return s.of(labels)
}
