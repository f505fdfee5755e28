package train

import (
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Without examples to evaluate on, an epoch is only its steps.
func TestTimeWithoutEvaluation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		r, _ := scripted([]float64{1}, []bool{true})
		r.Data.Validation.Index = r.Data.Validation.Index.Narrow(0, 0, 0)
		r.Data.Test.Index = r.Data.Test.Index.Narrow(0, 0, 0)
		if epoch, err := r.Time(); err != nil || epoch <= 0 {
			t.Errorf("%v, %v", epoch, err)
		}
	})
}

// The first step, which loads kernels, is not part of the mean: the total time without it is an upper bound, the second
// step a lower bound.
func TestTimedLeavesOutTheFirst(t *testing.T) {
	torchtest.NoLeak(t, func() {
		set := Examples(dataset.Split{Features: []float32{1, 2, 3, 4}, Labels: []int{0, 1}, Shape: []int{2}}, torch.CPU)
		set.Y = Labels([]int{0, 1}, torch.CPU)
		var steps []time.Duration
		begun := time.Now()
		mean, err := timed(&recorder{set: set, size: 2, worker: sleeper(func() {
			started := time.Now()
			time.Sleep(600 * time.Millisecond) // more than timed waits for, so only one is counted
			steps = append(steps, time.Since(started))
		})}, 2)
		whole := time.Since(begun)
		if err != nil || len(steps) != 2 {
			t.Fatalf("%d steps, want 2 (%v)", len(steps), err)
		}
		if mean < steps[1] || mean > whole-steps[0] {
			t.Errorf("mean %v of steps of %v", mean, steps)
		}
	})
}

// sleeper is a worker that only takes time.
type sleeper func()

func (s sleeper) step(Batch)                { s() }
func (sleeper) streams() []*torch.Generator { return nil }
func (sleeper) changed() []kind             { return nil }
func (sleeper) restore([]kind)              {}
