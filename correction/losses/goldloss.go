package losses

import (
	"errors"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var goldEntry = Entry{
	Name: "gold", About: "cross-entropy for examples whose true label is known, forward for the others", T: KnownT,
	Clips: true, Trusted: true, New: newGold,
}

// newGold returns gold loss correction (Hendrycks, Mazeika, Wilson and Gimpel, "Using Trusted Data to Train Deep
// Networks on Labels Corrupted by Severe Noise", NeurIPS 2018, Algorithm 1): an example with a known true label t
// uses it, and all others use their given label as in forward correction:
//
//	L(z, t) = -log p_t                  if t is known
//	L(z, y) = -log sum_j T[j][y] p_j    else
//
// The loss of a batch is the mean over its examples. Options.Trusted lists the known labels and must not be empty.
// The paper estimates T-hat with gold; any other estimator works as well. The loss has no constants.
//
// The result is a Trainer; Apply, for validation, is the forward-corrected loss of the given labels. Options.Rows is
// required, and each Trusted.Index is below it. Its tensors live in the caller's scope.
func newGold(t *correction.Matrix, o Options) (Loss, error) {
	if len(o.Trusted) == 0 {
		return nil, errors.New("gold loss correction: no example has a known label: add trusted labels")
	}
	c := t.Dim()
	known := make([]int64, o.Rows) // C + t for a known true label t; -1: unknown
	for i := range known {
		known[i] = -1
	}
	for _, trusted := range o.Trusted {
		known[trusted.Index] = int64(c + trusted.Label)
	}
	noisy := logColumns(t, o.Options)
	both := torch.Tidy(func() torch.Tensor { return torch.Cat(0, noisy, torch.Eye(c, o.Options).Log()) })
	label := torch.Tidy(func() torch.Tensor { return torch.FromSlice(known).ToDevice(o.Device) })
	return trainedBy{
		&softmaxLoss{forward(jointBy(noisy)), o.Clip}, &softmaxLoss{forward(jointBy(both)), o.Clip},
		func(b Batch) torch.Tensor { return b.Labels.Maximum(label.IndexSelect(0, b.Rows)) },
	}, nil
}
