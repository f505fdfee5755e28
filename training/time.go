package training

import (
	"time"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Time estimates the duration of one epoch, evaluation included, from a few steps on
// the first batch. It changes the weights, so the run cannot be trained afterwards.
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

// timed returns the mean time of f for one batch, of up to 20 of them within half a second, and
// of one at least. One before them is not counted: it loads kernels and fills caches.
func timed(set Set, size int, f func(Batch)) (d time.Duration, err error) {
	const most, long = 20, 500 * time.Millisecond
	first := torch.Tidy(func() torch.Tensor { return set.Index.Narrow(0, 0, size) })
	var begun time.Time
	for n := range 1 + most {
		if n <= 1 {
			begun = time.Now()
		}
		for batch, failed := range set.Batches(first, size) {
			if failed != nil {
				return 0, failed
			}
			f(batch)
		}
		if device := set.Y.Device(); device.IsCUDA() {
			torch.Synchronize(device)
		}
		if spent := time.Since(begun); n > 0 {
			if d = spent / time.Duration(n); spent > long {
				break
			}
		}
	}
	return d, nil
}
