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

// newGold is the training of gold loss correction (Hendrycks, Mazeika, Wilson and Gimpel,
// "Using Trusted Data to Train Deep Networks on Labels Corrupted by Severe Noise",
// NeurIPS 2018, Algorithm 1): an example whose true label t is known counts with it, and
// all others with their given label as in forward correction,
//
//	L(z, t) = -log p_t                  if t is known
//	L(z, y) = -log sum_j T[j][y] p_j    else
//
// and a batch with the mean of both. Options.Trusted lists the known labels, and is not
// empty. The paper's T-hat is that of estimator gold; any other does as well. It has no
// constants.
//
// It is a Trainer: Apply, for validation, is forward correction's loss of the given labels.
// Options.Rows is required, and each Trusted.Index is below it. Its tensors live in the caller's scope.
func newGold(t *correction.Matrix, o Options) (Loss, error) {
	if len(o.Trusted) == 0 {
		return nil, errors.New("gold loss correction: no example with a known label")
	}
	c := t.Dim()
	known := make([]int64, o.Rows) // label C + t is a label t that is true; -1: none is known
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
