package train

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// recordAfter is the number of steps before the recorded one. Libraries load kernels and allocate memory in them.
//
// A GPU's steps are launched kernel by kernel, some hundred of them, and for small networks launching takes longer than
// computing. A recorder makes the GPU record a step and then launch it as a whole.
const recordAfter = 3

// Tolerances between two ways to compute a step, as a share of what the step changes. A GPU adds up gradients in no
// fixed order. Where a gradient is only rounding, as for biases before batch normalization, an optimizer that divides
// by its size turns it into a whole step. Losses and moments have no such sums, and change more from batch to batch.
const (
	toleranceForward  = 1e-3
	toleranceBackward = .1
)

// worker does work on a batch.
type worker interface {
	step(Batch)
	streams() []*torch.Generator // that a step draws from
	changed() []kind             // what a step changes, with current values
	restore(held []kind)         // copies held values back
}

// kind is a group of tensors that a step changes.
type kind struct {
	name      string
	tolerance float64 // the tolerance between two ways to change them
	tensors   []torch.Tensor
}

// recorder makes a worker work on batches of a set. On a GPU it does the first batches of full size normally, then
// records the work and checks the recording on the next batch by doing it both ways. If the work cannot be recorded, if
// the results differ, or if a batch has another size, the work is done normally.
type recorder struct {
	worker
	set  Set
	size int
	tell func(error) // gets nil once recorded, or why not

	wanted, proved, underWay bool
	done                     int // batches of full size
	input                    picked
	recording                *torch.Recording
}

// want makes the recorder record. Its input belongs to the current scope.
func (r *recorder) want() {
	device := r.set.Y.Device()
	r.wanted = true
	r.input.rows = torch.Empty(torch.Options{DType: torch.Int64, Device: device}, r.size)
	if r.set.Stream != nil {
		r.input.x = torch.Empty(torch.Options{DType: torch.Uint8, Device: device},
			append([]int{r.size}, r.set.Stream.Shape...)...)
	}
}

// do does the work on one batch.
func (r *recorder) do(p picked) {
	if !r.wanted || p.rows.Size(0) != r.size {
		r.step(r.set.batch(p))
		return
	}
	if r.done++; r.done <= recordAfter {
		r.step(r.set.batch(p))
		return
	}
	r.load(p)
	if r.recording == nil {
		if err := r.record(); err != nil {
			r.refuse(err)
			r.step(r.set.batch(p))
			return
		}
	} else if !r.proved {
		r.prove(p)
		return
	}
	r.recording.Replay()
}

func (r *recorder) record() (err error) {
	r.underWay = true
	defer func() { r.underWay = false }()
	r.recording, err = torch.Record(r.streams(), func() {
		torch.Scope(func() { r.step(r.set.batch(r.input)) })
	})
	return err
}

// load makes p the input of a recording.
func (r *recorder) load(p picked) {
	r.input.rows.CopyFrom(p.rows)
	if p.x.Defined() {
		r.input.x.CopyFrom(p.x)
	}
}

// refuse continues without a recording. It panics if the device is lost.
func (r *recorder) refuse(why error) {
	if torch.IsKind(why, torch.DeviceLost) {
		panic(why)
	}
	r.renew(0)
	r.wanted = false
	r.tell(why)
}

// renew ends the recording because the work changes from here on. done is the number of batches already done of the new
// work.
func (r *recorder) renew(done int) {
	r.done = done
	if r.recording != nil {
		r.recording.Free()
		r.recording = nil
	}
}

// prove does a batch as recorded and, from the same state, normally; the normal result stays.
func (r *recorder) prove(p picked) {
	torch.Scope(func() {
		before := r.snapshot()
		r.recording.Replay()
		recorded := r.snapshot()
		r.rewind(before)
		err := torch.Try(func() error { r.step(r.set.batch(p)); return nil })
		switch {
		case torch.IsKind(err, torch.OutOfMemory): // a recording keeps memory that others need
			r.refuse(fmt.Errorf("a recording would keep memory that is needed elsewhere: %w", err))
			torch.EmptyCache()
			r.rewind(before)
			r.step(r.set.batch(p))
			return
		case err != nil:
			panic(err)
		}
		if err := differ(before, recorded, r.snapshot()); err != nil {
			r.refuse(err)
			return
		}
		r.proved = true
		r.tell(nil)
	})
}

// snapshot holds copies of the tensors that a step changes, and the states of random streams.
type snapshot struct {
	kinds  []kind
	states [][]byte
}

func (r *recorder) snapshot() (held snapshot) {
	for _, k := range r.changed() {
		copies := make([]torch.Tensor, len(k.tensors))
		for i, t := range k.tensors {
			copies[i] = t.Detach().Clone()
		}
		held.kinds = append(held.kinds, kind{k.name, k.tolerance, copies})
	}
	for _, g := range r.streams() {
		held.states = append(held.states, g.State())
	}
	return held
}

// rewind restores a snapshot.
func (r *recorder) rewind(to snapshot) {
	r.restore(to.kinds)
	for i, g := range r.streams() {
		g.Restore(to.states[i])
	}
}

// differ compares the results of doing a step in two ways, starting from before.
func differ(before, recorded, done snapshot) error {
	for i, state := range done.states {
		if string(state) != string(recorded.states[i]) {
			return errors.New("a recorded step changes the random streams differently from a step that is not recorded")
		}
	}
	for k, now := range done.kinds {
		var apart, moved []torch.Tensor
		square := func(t, u torch.Tensor) torch.Tensor { return t.Sub(u).ToDType(torch.Float64).Square().Sum() }
		for i, t := range now.tensors {
			apart = append(apart, square(t, recorded.kinds[k].tensors[i]))
			moved = append(moved, square(t, before.kinds[k].tensors[i]))
		}
		far, way := rootOf(apart), rootOf(moved)
		if !(far <= now.tolerance*way) {
			return fmt.Errorf("a recorded step changes %s differently from a step that is not recorded: the results are %.3g "+
				"apart, %.3g from the start", now.name, far, way)
		}
	}
	return nil
}

func rootOf(squares []torch.Tensor) float64 {
	sum := 0.0
	for _, v := range torch.Items(squares...) {
		sum += v
	}
	return math.Sqrt(sum)
}

// recorded reports whether to record steps.
func (r *Run) recorded() bool { return r.Record && r.Data.Train.Y.Device().IsCUDA() }

// onStream runs f in its own stream if steps are to be recorded.
func (r *Run) onStream(f func()) {
	if r.recorded() {
		torch.OnStream(r.Data.Train.Y.Device(), f)
	} else {
		f()
	}
}

// record starts the recorders of everything that can be recorded.
func (s *state) record() {
	if !s.recorded() {
		return
	}
	for _, r := range []struct {
		*recorder
		what string
	}{{&s.steps, "training steps"}, {&s.validation.steps, "evaluation on the validation set"},
		{&s.test.steps, "evaluation on the test set"}} {
		r.tell = func(err error) {
			if s.On.Record != nil {
				s.On.Record(r.what, err)
			}
		}
		switch {
		case r.recorder != &s.steps:
			r.want()
		case s.Scaled:
			r.tell(errors.New("the host reads whether gradients in float16 are finite"))
		case !optim.Recordable(s.Optimizer):
			r.tell(errors.New("the optimizer keeps its learning rate on the host"))
		default:
			r.want()
		}
	}
}

// renew prepares the recorder for an epoch. Another loss changes the step, and a losses.Trainer depends on the epoch.
func (s *state) renew() {
	rule := s.Loss
	warming := s.at.Epoch < s.WarmupEpochs
	if warming {
		rule = s.Warmup
	}
	if warming != s.warming {
		s.warming = warming
		s.steps.proved = false
		s.steps.renew(0)
	}
	if _, ok := rule.(losses.Trainer); ok {
		s.steps.renew(min(s.steps.done, recordAfter))
	}
}

// end ends the recordings.
func (s *state) end() {
	for _, r := range []*recorder{&s.steps, &s.validation.steps, &s.test.steps} {
		r.renew(0)
	}
}

// changed returns what a training step changes.
func (s *state) changed() []kind {
	var weights, moments []torch.Tensor
	for _, p := range s.Model.Parameters() {
		if p.Role == nn.Buffer {
			moments = append(moments, p.Tensor)
		} else {
			weights = append(weights, p.Tensor)
		}
	}
	return []kind{
		{"the sum of losses", toleranceForward, []torch.Tensor{s.lossSum}}, {"running moments", toleranceForward, moments},
		{"what the loss keeps", toleranceBackward, nn.Tensors(s.kept())}, {"weights", toleranceBackward, weights},
		{"the optimizer's state", toleranceBackward, nn.Tensors(s.Optimizer.State())},
	}
}

func (s *state) restore(held []kind) {
	now, last := s.changed(), len(held)-1
	for k := range last {
		copyAll(now[k].tensors, held[k].tensors)
	}
	state := map[string]torch.Tensor{}
	for i, p := range s.Optimizer.State() {
		state[p.Name] = held[last].tensors[i]
	}
	if err := s.Optimizer.LoadState(state); err != nil {
		panic(err) // restores its own state
	}
}

// streams lists the streams that a training step draws from.
func (s *state) streams() []*torch.Generator {
	if s.Random.Augment == nil {
		return []*torch.Generator{s.Random.Dropout}
	}
	return []*torch.Generator{s.Random.Dropout, s.Random.Augment}
}

// noDraws is the source of random numbers while a step is recorded.
type noDraws struct{}

// Uint64 implements rand.Source.
func (noDraws) Uint64() uint64 {
	panic(&torch.Error{Op: "record", Kind: torch.NotImplemented, Msg: "the loss draws random numbers on the host"})
}

var _ rand.Source = noDraws{}
