package losses

import (
	"errors"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var (
	softEntry = Entry{
		Name: "soft", Title: "soft labels", About: "cross-entropy with a distribution of classes for each example",
		Clips: true, Targets: true,
		New: NewSoft,
	}
	answersEntry = Entry{
		Name: "answers", Title: "forward, a T of each person",
		About: "forward with the T of each person who has labelled the example", Clips: true, Targets: true,
		New: NewAnswers,
	}
)

// NewSoft is cross-entropy with a distribution t of classes for each example, in place of a
// label:
//
//	L(z, t) = -sum_k t_k log p_k,    dL/dz = p - t
//
// Options.Targets holds them, [Rows C], and is required; rows are divided by their sums. An
// example whose row is zeros has a loss of zero. It has no constants.
//
// It is a Trainer: Apply, for validation, is cross-entropy with the given label. The targets
// live in the caller's scope.
func NewSoft(t *correction.Matrix, o Options) (Loss, error) {
	targets, err := targetsOf(t.Dim(), o)
	if err != nil {
		return nil, err
	}
	return perExample{NewCrossEntropy(t.Dim(), o), &softmaxLoss{rule: soft{}, name: "soft", clip: o.Clip, sums: true},
		targets}, nil
}

// NewAnswers is forward correction where several people have labelled an example, each with a
// transition matrix T_r of their own. The prediction is pushed through the matrices of all of
// them at once:
//
//	L(z)  = -log sum_k p_k prod over answers y_r of T_r[k][y_r]
//	dL/dz = p - q,    q_k ∝ p_k prod over answers y_r of T_r[k][y_r]
//
// so that an example's answers count by what their people are worth. One person for all
// examples is forward correction by that T. Options.Targets holds the products, [Rows C], up
// to a factor of each row; it is required. An example whose row is zeros, which has no answer,
// has a gradient of zero. It has no constants.
//
// It is a Trainer: Apply, for validation, is cross-entropy with the given label. The targets
// live in the caller's scope.
func NewAnswers(t *correction.Matrix, o Options) (Loss, error) {
	targets, err := targetsOf(t.Dim(), o)
	if err != nil {
		return nil, err
	}
	return perExample{NewCrossEntropy(t.Dim(), o), &softmaxLoss{rule: likelihood{}, name: "answers", clip: o.Clip},
		targets}, nil
}

// targetsOf puts Options.Targets, with rows that sum to 1, on the device of the logits.
func targetsOf(classes int, o Options) (torch.Tensor, error) {
	if len(o.Targets) != o.Rows*classes || o.Rows == 0 {
		return torch.Tensor{}, errors.New("no targets: this loss needs a distribution of classes for each example (targets)")
	}
	return torch.Tidy(func() torch.Tensor {
		t := torch.FromSlice(o.Targets, o.Rows, classes).To(o.Options)
		return t.Div(t.SumKeep(1).ClampMin(leastLikelihood))
	}), nil
}

// perExample trains by a row of targets of each example; its loss takes them as labels.
type perExample struct {
	Loss                  // cross-entropy
	training Loss         // of logits and targets [N C]
	targets  torch.Tensor // [Rows C]
}

func (p perExample) Name() string { return p.training.Name() }

// Train implements Trainer.
func (p perExample) Train(b Batch) torch.Tensor {
	return p.training.Apply(b.Forward(b.X), p.targets.IndexSelect(0, b.Rows))
}

type soft struct{}

func (soft) value(l, targets torch.Tensor) torch.Tensor {
	return targets.Mul(l).Sum(1).Mean().Neg()
}

func (soft) weights(_, targets torch.Tensor) torch.Tensor { return targets }

// likelihood is the rule of NewAnswers; targets are the products.
type likelihood struct{}

// leastLikelihood bounds the products: no answer rules a class out.
const leastLikelihood = 1e-30

func (likelihood) joint(l, targets torch.Tensor) torch.Tensor {
	return targets.ClampMin(leastLikelihood).Log().Add(l)
}

func (r likelihood) value(l, targets torch.Tensor) torch.Tensor {
	return r.joint(l, targets).LogSumExp(1).Mean().Neg()
}

func (r likelihood) weights(l, targets torch.Tensor) torch.Tensor {
	return r.joint(l, targets).Softmax(1)
}
