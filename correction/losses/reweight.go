package losses

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var (
	reweightEntry = Entry{
		Name: "reweight", About: "cross-entropy weighted by the ratio of the label's clean and noisy probability", T: KnownT,
		Clips: true,
		New:   NewReweight,
	}
	reweightEstimatedEntry = Entry{
		Name: "reweight-estimated", FormOf: "reweight", Title: "reweight, T estimated",
		About: "reweight with an estimate of T", T: EstimatedT, Clips: true,
		New: NewReweight,
	}
)

// NewReweight is the importance reweighting of Liu and Tao, "Classification with Noisy
// Labels by Importance Reweighting" (TPAMI 2016), for several classes as Xia et al., "Are
// Anchor Points Really Indispensable in Label-Noise Learning?" (NeurIPS 2019), have it in
// the first stage of T-Revision ("Reweight"). The label's clean probability, which the
// network learns, is divided by its noisy one:
//
//	w       = p_y / sum_j T[j][y] p_j
//	L(z, y) = -w log p_y
//	dL/dz   = w (p - e_y)
//
// The gradient does not go through w, as in their code. It has no constants.
//
// It is a Trainer: Apply, for validation, is forward correction's loss, since the
// weighted one is low for a network that finds all given labels unlikely. (Their code
// selects the epoch by the accuracy of the noisy probabilities.) Fails if a class never
// keeps its label, T[y][y] = 0, for then w has no bound.
//
// The result holds tensors of T's size that live in the caller's scope.
func NewReweight(t *correction.Matrix, o Options) (Loss, error) {
	for y, name := range t.Classes() {
		if t.At(y, y) == 0 {
			return nil, fmt.Errorf("importance reweighting: class %s never keeps its label: T[%s][%s] is 0", name, name, name)
		}
	}
	noisy := NewForward(t, o)
	rule := importance{noisy.(*softmaxLoss).rule.(forward), newTargets(t.Dim(), o.Options, nil)}
	return reweight{validation: noisy, weighted: &softmaxLoss{rule: rule, name: "reweight", clip: o.Clip, sums: true}}, nil
}

type reweight struct{ validation, weighted Loss }

func (r reweight) Name() string { return r.weighted.Name() }

func (r reweight) Apply(logits, labels torch.Tensor) torch.Tensor {
	return r.validation.Apply(logits, labels)
}

// Train implements Trainer.
func (r reweight) Train(b Batch) torch.Tensor {
	return r.weighted.Apply(b.Forward(b.X), b.Labels)
}

type importance struct {
	noisy  forward
	oneHot targets
}

func (i importance) value(l, labels torch.Tensor) torch.Tensor {
	return i.weights(l, labels).Mul(l).Sum().DivScalar(-float64(l.Size(0)))
}

// weights are w e_y.
func (i importance) weights(l, labels torch.Tensor) torch.Tensor {
	given := l.Gather(1, labels.Unsqueeze(1))
	w := given.Sub(i.noisy.joint(l, labels).LogSumExpKeep(1)).Exp()
	return i.oneHot.of(labels).Mul(w)
}
