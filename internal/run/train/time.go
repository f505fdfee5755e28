package train

import (
	"time"

	"github.com/losscorr/losscorr/torch"
)

// Time estimates the duration of one epoch, evaluation included, from a few steps on the first batch. It changes the
// weights, so the run cannot be trained afterwards.
func (r *Run) Time() (epoch time.Duration, err error) {
	r.onStream(func() { torch.Scope(func() { epoch, err = r.time() }) })
	return epoch, err
}

func (r *Run) time() (epoch time.Duration, err error) {
	s := newState(r)
	defer s.end()
	s.renew()
	n := r.Data.Train.Len()
	steps := r.Data.Steps
	if steps == 0 {
		steps = (n + r.Data.Batch - 1) / r.Data.Batch
	}
	step, err := timed(&s.steps, min(r.Data.Batch, n))
	if err != nil {
		return 0, err
	}
	evaluated := r.Data.Validation.Len() + r.Data.Test.Len()
	rule := s.test
	if r.Data.Test.Len() == 0 { // own data may have no test set
		rule = s.validation
	}
	size := min(EvaluationBatches*r.Data.Batch, rule.steps.set.Len())
	if size == 0 {
		return time.Duration(steps) * step, nil
	}
	var evaluation time.Duration
	torch.NoGrad(func() { evaluation, err = timed(&rule.steps, size) })
	return time.Duration(steps)*step + evaluation*time.Duration(evaluated)/time.Duration(size), err
}

// timed returns the mean time of a recorder's work on one batch, over up to 20 batches within half a second, but at
// least one. It does not count a first batch, which loads kernels and fills caches, or batches that record.
func timed(r *recorder, size int) (d time.Duration, err error) {
	const most, long = 20, 500 * time.Millisecond
	before := 1
	if r.wanted {
		before = recordAfter + 2
	}
	first := torch.Tidy(func() torch.Tensor { return r.set.Index.Narrow(0, 0, size) })
	var begun time.Time
	for n := range before + most {
		if n <= before {
			begun = time.Now()
		}
		for p, failed := range r.set.picks(first, size) {
			if failed != nil {
				return 0, failed
			}
			r.do(p)
		}
		if device := r.set.Y.Device(); device.IsCUDA() {
			torch.Synchronize(device)
		}
		if spent := time.Since(begun); n >= before {
			if d = spent / time.Duration(n-before+1); spent > long {
				break
			}
		}
	}
	return d, nil
}
