package losses

import (
	"errors"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

// softEntry is cross-entropy with class probabilities t for each example in place of a label:
//
//	L(z, t) = -sum_k t_k log p_k,    dL/dz = p - t
//
// Options.Targets [Rows C] is required; rows are divided by their sums. A row of zeros has a loss of zero. The loss
// has no constants.
var softEntry = ofTargets(Entry{
	Name: "soft", Title: "soft labels", About: "cross-entropy with a distribution of classes for each example",
}, byAutograd(func(l, targets torch.Tensor) torch.Tensor {
	return targets.Mul(l).Sum().DivScalar(-float64(l.Size(0)))
}))

// answersEntry is forward correction for examples that several people have labelled, each with their own transition
// matrix T_r. The prediction is pushed through all their matrices at once:
//
//	L(z)  = -log sum_k p_k prod over answers y_r of T_r[k][y_r]
//	dL/dz = p - q,    q_k ∝ p_k prod over answers y_r of T_r[k][y_r]
//
// so answers count by the reliability of their people. With one person for all examples it is forward correction by
// that T. Options.Targets holds the products [Rows C], up to a factor per row, and is required. A row of zeros, for
// an example without answers, has a gradient of zero. The loss has no constants.
var answersEntry = ofTargets(Entry{
	Name: "answers", Title: "forward, a T of each person",
	About: "forward with the T of each person who has labelled the example",
}, forward(func(l, targets torch.Tensor) torch.Tensor { return targets.ClampMin(leastLikelihood).Log().Add(l) }))

// leastLikelihood bounds the products from below, so that no answer rules a class out.
const leastLikelihood = 1e-30

// ofTargets completes the entry of a loss that trains on Options.Targets, whose rows f takes in place of labels.
//
// The loss is a Trainer; Apply, for validation, is cross-entropy with the given label. The targets live in the
// caller's scope.
func ofTargets(e Entry, f formula) Entry {
	e.Clips, e.Targets = true, true
	e.New = func(t *correction.Matrix, o Options) (Loss, error) {
		if len(o.Targets) != o.Rows*t.Dim() || o.Rows == 0 {
			return nil, errors.New("no targets: this loss needs class probabilities for each example (targets)")
		}
		targets := torch.Tidy(func() torch.Tensor {
			rows := torch.FromSlice(o.Targets, o.Rows, t.Dim()).To(o.Options)
			return rows.Div(rows.SumKeep(1).ClampMin(leastLikelihood))
		})
		return trainedBy{NewCrossEntropy(o), &softmaxLoss{f, o.Clip},
			func(b Batch) torch.Tensor { return targets.IndexSelect(0, b.Rows) }}, nil
	}
	return e
}
