package losses

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var elrEntry = withSettings(Entry{
	Name: "elr", Title: "ELR", About: "cross-entropy, and a pull towards what the network has found early", Clips: true,
	Settings: []Setting{{"lambda", 3, aboveZero}, {"beta", .7, share}},
}, newELR)

// elrClip bounds the probabilities in the regularizer, as in the published code.
const elrClip = 1e-4

// newELR is the early-learning regularization of Liu, Niles-Weed, Razavian and
// Fernandez-Granda, "Early-Learning Regularization Prevents Memorization of Noisy Labels"
// (NeurIPS 2020), Section 4, with targets by temporal ensembling:
//
//	t       <- beta t + (1-beta) p,    for each example of the batch, t = 0 at first
//	L(z, y) = -log p_y + lambda log(1 - sum_k p_k t_k)
//
// The targets t, one for each example of the training set, treat p as constant. As in the published code, they are
// updated before the loss is computed, and p is clipped to [1e-4, 1-1e-4] in both and, for t, divided by its sum.
// Settings.Lambda is above 0, 3 by default, and Settings.Beta in (0, 1), .7 by default, as in the paper for CIFAR-10
// with symmetric noise; its code has 1 and .9 for asymmetric noise.
//
// The result is a Trainer and a Stateful; Apply is cross-entropy. It is also a Selector by the share of mistakes,
// because the published code selects by accuracy: cross-entropy grows with the confidence that the regularizer adds
// and would select an early epoch. Options.Rows is required. The targets, [Rows C], live in the caller's scope.
func newELR(t *correction.Matrix, o Options) (Loss, error) {
	targets := torch.Zeros(o.Options, o.Rows, t.Dim())
	return &elr{NewCrossEntropy(o), targets, o.Settings.Lambda, o.Settings.Beta}, nil
}

type elr struct {
	Loss                      // cross-entropy
	targets      torch.Tensor // [Rows C]
	lambda, beta float64
}

// Selection implements Selector.
func (e *elr) Selection() Loss { return mistakes{} }

// State implements Stateful.
func (e *elr) State() map[string]torch.Tensor { return map[string]torch.Tensor{"targets": e.targets} }

// Train implements Trainer.
func (e *elr) Train(b Batch) torch.Tensor {
	z := b.Forward(b.X)
	p := z.Softmax(1).Clamp(elrClip, 1-elrClip)
	t := e.renew(p.Detach(), b.Rows)
	pull := p.Mul(t).Sum(1).Neg().Log1p().Mean()
	return e.Apply(z, b.Labels).Add(pull.MulScalar(e.lambda))
}

// renew moves the targets of rows towards p and returns them [N C].
func (e *elr) renew(p, rows torch.Tensor) (t torch.Tensor) {
	torch.NoGrad(func() {
		now := p.Div(p.SumKeep(1))
		t = e.targets.IndexSelect(0, rows).MulScalar(e.beta).Add(now.MulScalar(1 - e.beta))
		e.targets.ScatterInPlace(0, rows.View(-1, 1).Expand(t.Shape()...), t)
	})
	return t
}

// mistakes is the share of labels that differ from the likeliest class. It has no gradient.
type mistakes struct{}

func (mistakes) Apply(logits, labels torch.Tensor) torch.Tensor {
	return logits.Argmax(1).Ne(labels).ToDType(logits.DType()).Mean()
}
