package losses

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var reweightEntry = Entry{
	Name: "reweight", About: "cross-entropy weighted by the ratio of the label's clean and noisy probability", T: KnownT,
	Clips: true, New: newReweight,
}

// newReweight returns the importance reweighting of Liu and Tao, "Classification with Noisy Labels by Importance
// Reweighting" (TPAMI 2016), extended to several classes as in the first stage of T-Revision ("Reweight") of Xia et
// al., "Are Anchor Points Really Indispensable in Label-Noise Learning?" (NeurIPS 2019). The weight is the label's
// clean probability, which the network learns, divided by its noisy one:
//
//	w       = p_y / sum_j T[j][y] p_j
//	L(z, y) = -w log p_y
//	dL/dz   = w (p - e_y)
//
// As in their code, the gradient does not flow through w. The loss has no constants.
//
// The result is a Trainer; Apply, for validation, is the forward-corrected loss, because the weighted loss is low for
// a network that finds all given labels unlikely. (Their code selects the epoch by the accuracy of the noisy
// probabilities.) It is an error if a class never keeps its label, T[y][y] = 0, because w is then unbounded.
func newReweight(t *correction.Matrix, o Options) (Loss, error) {
	if err := checkKept(t); err != nil {
		return nil, fmt.Errorf("importance reweighting: %w", err)
	}
	noisy := jointBy(logColumns(t, o.Options))
	weighted := byAutograd(func(l, labels torch.Tensor) torch.Tensor {
		given := l.Gather(1, labels.Unsqueeze(1))
		return importance(noisy, l.Detach(), labels).Mul(given).Mean().Neg()
	})
	given := func(b Batch) torch.Tensor { return b.Labels }
	return trainedBy{&softmaxLoss{forward(noisy), o.Clip}, &softmaxLoss{weighted, o.Clip}, given}, nil
}

// checkKept returns an error if a class never keeps its label, because importance then has no bound.
func checkKept(t *correction.Matrix) error {
	for y, name := range t.Classes() {
		if t.At(y, y) == 0 {
			return fmt.Errorf("class %s never keeps its label, T[%s][%s] is 0", name, name, name)
		}
	}
	return nil
}

// importance returns p_y / sum_j T[j][y] p_j of each example, [N 1].
func importance(noisy joint, l, labels torch.Tensor) torch.Tensor {
	return l.Gather(1, labels.Unsqueeze(1)).Sub(noisy(l, labels).LogSumExpKeep(1)).Exp()
}
