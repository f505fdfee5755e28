package training

import (
	"time"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Time estimates the duration of one epoch, evaluation included, from a few steps on
// the first batches. It changes the weights, so the run cannot be trained afterwards.
func (r *Run) Time() (epoch time.Duration, err error) {
	torch.Scope(func() {
		s := newState(r)
		n := r.Data.Train.Len()
		steps := r.Steps
		if steps == 0 {
			steps = (n + r.Batch - 1) / r.Batch
		}
		var step, evaluation time.Duration
		step, err = timed(r.Data.Train, min(r.Batch, n), s.step)
		if err != nil {
			return
		}
		evaluated := r.Data.Validation.Len() + r.Data.Test.Len()
		set := r.Data.Test
		if set.Len() == 0 { // own data may have no test set
			set = r.Data.Validation
		}
		size := min(s.evalBatch(), set.Len())
		torch.NoGrad(func() {
			evaluation, err = timed(set, size, func(b Batch) { r.Model.Forward(b.X, nn.Eval).Argmax(1).Sum().Item() })
		})
		epoch = time.Duration(steps)*step + evaluation*time.Duration(evaluated)/time.Duration(size)
	})
	return epoch, err
}

// timed returns the time of f for one batch: the second of two, or the first if it
// takes long enough to be measured alone.
func timed(set Set, size int, f func(Batch)) (d time.Duration, err error) {
	const long = 300 * time.Millisecond
	first := torch.Tidy(func() torch.Tensor { return set.Index.Narrow(0, 0, size) })
	for range 2 {
		begun := time.Now()
		for batch, failed := range set.Batches(first, size) {
			if failed != nil {
				return 0, failed
			}
			f(batch)
		}
		if device := set.Y.Device(); device.IsCUDA() {
			torch.Synchronize(device)
		}
		if d = time.Since(begun); d > long {
			return d, nil
		}
	}
	return d, nil
}
