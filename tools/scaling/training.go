package scaling

import (
	"fmt"
	"slices"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/tools/bench"
	"github.com/losscorr/losscorr/torch"
)

// sizes of the network of the MNIST block, where they do not vary.
const (
	usualBatch   = 128
	usualWidth   = 128
	usualClasses = 10
)

func (r *run) batch() error {
	a := axes{"batch", "Training step by batch size", "examples of a step", "seconds"}
	return r.each(r.values([]int{32, 128}, []int{32, 64, 128, 256, 512, 1024, 2048, 4096}), func(batch int) error {
		return r.step(a, "784-128-128-10, cross-entropy", 1, batch, bench.MLP{Batch: batch, Width: usualWidth, Classes: usualClasses})
	})
}

func (r *run) width() error {
	a := axes{"width", "Training step by width", "units of each hidden layer", "seconds"}
	return r.each(r.values([]int{64, 128}, []int{64, 128, 256, 512, 1024, 2048, 4096}), func(width int) error {
		return r.step(a, "784-width-width-10, cross-entropy", 2, width, bench.MLP{Batch: usualBatch, Width: width, Classes: usualClasses})
	})
}

// step adds the time of a step, at x.
func (r *run) step(a axes, name string, expected float64, x int, m bench.MLP) (err error) {
	torch.Scope(func() {
		var seconds float64
		if seconds, err = r.perStep(m); err == nil {
			r.add(a, name, expected, float64(x), seconds)
		}
	})
	return err
}

// perStep returns the time of a step: the median over repeats of so many steps as take
// about a tenth of a second.
func (r *run) perStep(m bench.MLP) (float64, error) {
	steps, err := m.Steps()
	if err != nil {
		return 0, err
	}
	n := 1
	if once := steps(2).Seconds() / 2; !r.Quick {
		n = max(1, int(.1/once))
	}
	rounds := 7
	if r.Quick {
		rounds = 1
	}
	times := make([]float64, rounds)
	for k := range times {
		times[k] = steps(n).Seconds() / float64(n)
	}
	slices.Sort(times)
	return times[rounds/2], nil
}

// corrections are the losses that hold a dense T or its inverse, beside cross-entropy.
var corrections = []struct {
	name  string
	most  int // classes: the inverse takes c^3
	setup float64
	make  func(*correction.Matrix, correction.LossOptions) (correction.Loss, error)
}{
	{"cross-entropy", 10000, 0, nil},
	{"forward", 10000, 2, func(t *correction.Matrix, o correction.LossOptions) (correction.Loss, error) {
		return correction.NewForward(t, o), nil
	}},
	{"backward", 10000, 3, correction.NewBackward},
}

// classes measures a step, the memory of libtorch, and the time in which a loss is made of
// T, which happens once in a run.
func (r *run) classes() error {
	const x = "classes"
	step := axes{"classes", "Training step by classes", x, "seconds"}
	memory := axes{"classes-memory", "Memory of training by classes", x, "MiB held by libtorch"}
	setup := axes{"classes-setup", "Making the loss of T", x, "seconds"}
	return r.each(r.values([]int{2, 10}, []int{2, 10, 32, 100, 320, 1000, 2000, 5000, 10000}), func(c int) error {
		t, err := correction.Symmetric(names(c), .2)
		if err != nil {
			return err
		}
		for _, l := range corrections {
			if c > l.most {
				continue
			}
			if err := r.correct(step, memory, setup, l.name, l.setup, t, l.make); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
		}
		return nil
	})
}

func (r *run) correct(step, memory, setup axes, name string, power float64, t *correction.Matrix,
	loss func(*correction.Matrix, correction.LossOptions) (correction.Loss, error),
) (err error) {
	c := t.Dim()
	m := bench.MLP{Batch: usualBatch, Width: usualWidth, Classes: c}
	torch.Scope(func() {
		before := torch.DeviceMemory(torch.CPU).Allocated
		hold := func(line string, expected float64) {
			if held := torch.DeviceMemory(torch.CPU).Allocated - before; held > 0 { // 0 where the C library does not count
				r.add(memory, line, expected, float64(c), float64(held)/(1<<20))
			}
		}
		if loss != nil {
			var made correction.Loss
			var seconds float64
			if made, seconds, err = r.made(t, loss); err != nil {
				return
			}
			r.add(setup, name, power, float64(c), seconds)
			hold("loss: "+name, 2)
			m.Loss = func(correction.LossOptions) (correction.Loss, error) { return made, nil }
		}
		var seconds float64
		if seconds, err = r.perStep(m); err != nil {
			return
		}
		r.add(step, name, 1, float64(c), seconds)
		if loss == nil {
			hold("network and step: "+name, 1)
		}
	})
	return err
}

// made makes a loss of T and returns the time that it takes: of a first time that takes
// long, that one.
func (r *run) made(t *correction.Matrix, loss func(*correction.Matrix, correction.LossOptions) (correction.Loss, error)) (correction.Loss, float64, error) {
	begun := time.Now()
	made, err := loss(t, correction.LossOptions{})
	seconds := time.Since(begun).Seconds()
	if err == nil && seconds < .5 {
		seconds, err = r.seconds(func() (err error) {
			torch.Scope(func() { _, err = loss(t, correction.LossOptions{}) })
			return err
		})
	}
	return made, seconds, err
}

// names returns the names of c classes.
func names(c int) []string {
	out := make([]string, c)
	for k := range out {
		out[k] = fmt.Sprintf("class %d", k)
	}
	return out
}
