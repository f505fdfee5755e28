package losses

import "github.com/losscorr/losscorr/torch"

var (
	savageEntry = Entry{
		Name: "savage", About: "the Savage loss of probabilities", Clips: true, New: afterSoftmax(NewSavage),
	}
	savageLogitsEntry = Entry{
		Name: "savage-logits", FormOf: "savage", About: "the Savage loss of logits with targets of ±1",
		New: onLogits(NewSavageLogits, true),
	}
)

// NewSavage is the Savage loss (Masnadi-Shirazi and Vasconcelos, "On the Design
// of Loss Functions for Classification", NIPS 2008) as the code published with
// the paper has it, on the outputs of a softmax and with targets 0 and 1:
//
//	L(z, y) = 1/c ((c-1)/4 + s^2),    s = sigma(-2 p_y)
//	dL/dz   = w (p - e_y),            w = 4/c s^2 (1-s) p_y
//
// Its margins lie in [0, 1] and not on the whole line, so that its gradient is small:
// at p = 1/c the weight w, relative to cross-entropy's gradient, is 4.5e-3 for 10
// classes and 4.9e-5 for 100. The published code clips p, as Options.Clip does.
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewSavage(classes int, o Options) Loss {
	return &softmaxLoss{rule: savage{newTargets(classes, o.Options, nil)}, name: "savage", clip: o.Clip, sums: true}
}

type savage struct{ oneHot targets }

func (s savage) value(l, labels torch.Tensor) torch.Tensor {
	return savageMargin{}.value(l.Exp().Mul(s.oneHot.of(labels))).Mean()
}

func (s savage) weights(l, labels torch.Tensor) torch.Tensor {
	margins := l.Exp().Mul(s.oneHot.of(labels))
	return savageMargin{}.slope(margins).Mul(margins).DivScalar(-float64(l.Size(1)))
}

// NewSavageLogits is the Savage loss on logits h with targets s = +-1, as its authors
// define it. It ignores MarginOptions.Symmetric.
//
//	L(h, y) = 1/c sum_k sigma(-2 s_k h_k)^2
//	dL/dh_k = -4/c s_k sigma(-2 s_k h_k)^2 sigma(2 s_k h_k)
//
// Of up to 512 classes the result holds a tensor of classes by classes that lives in the
// caller's scope.
func NewSavageLogits(classes int, o MarginOptions) Loss {
	o.Symmetric = true
	l := newMarginLoss(savageMargin{}, "", classes, o)
	l.name = "savage-logits"
	return l
}

type savageMargin struct{}

func (savageMargin) value(m torch.Tensor) torch.Tensor {
	return m.MulScalar(-2).Sigmoid().Square()
}

func (savageMargin) slope(m torch.Tensor) torch.Tensor {
	return m.MulScalar(-2).Sigmoid().Square().Mul(m.MulScalar(2).Sigmoid()).MulScalar(-4)
}
