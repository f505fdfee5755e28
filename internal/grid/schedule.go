package grid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
)

// schedule is the state of one call of Run. One goroutine owns it.
type schedule struct {
	*Runner
	progress *Display
	outcomes []Outcome
	index    map[string]int // ID -> place in the plan
	order    []int          // places in the plan, in starting order
	head     int            // order[:head] have been started
	started  []bool
	watches  map[int]*store.Watch // of runs that other processes execute
	busy     map[string]int       // active runs by device
	kind     map[string]string    // network of the active runs, by device
	skipped  int
	unneeded int // implied runs that only finished runs need
	active   int
	fatal    error
	lost     error // set when a failed run leaves the GPU unusable in this process
	ended    chan ending
	threads  int // started; idle ones wait for work
	work     chan func()
}

type ending struct {
	index   int
	device  string
	outcome Outcome
}

func newSchedule(r *Runner, plan store.Plan) *schedule {
	s := &schedule{
		Runner: r, progress: cmp.Or(r.Progress, &Display{}), index: map[string]int{},
		watches: map[int]*store.Watch{}, busy: map[string]int{}, kind: map[string]string{},
		outcomes: make([]Outcome, len(plan.Runs)), started: make([]bool, len(plan.Runs)), ended: make(chan ending),
		work: make(chan func(), len(plan.Runs)),
	}
	needed := map[string]bool{}
	for i, p := range plan.Runs {
		s.outcomes[i] = Outcome{Planned: p}
		s.index[p.ID] = i
		if s.skip(i) {
			s.skipped++
		} else if p.Needs != "" {
			needed[p.Needs] = true
		}
	}
	// Runs that others need come first, so that the workers are not idle at the end.
	var rest []int
	for i, p := range plan.Runs {
		switch {
		case s.started[i]:
		case needed[p.ID]:
			s.order = append(s.order, i)
		case p.Implied:
			s.started[i] = true
			s.unneeded++
		default:
			rest = append(rest, i)
		}
	}
	s.order = append(s.order, rest...)
	s.groupByNetwork()
	return s
}

// groupByNetwork puts runs of the same network on a GPU one after the other, because those of different networks slow
// each other down. On an H100, ten LSTMs made no step while six ResNets trained: the LSTM's cooperative kernels wait
// until the whole GPU is free.
func (s *schedule) groupByNetwork() {
	place := map[string]int{}
	for _, i := range s.order {
		if c := s.outcomes[i].Config; onGPU(c.Device) {
			if _, known := place[c.Model]; !known {
				place[c.Model] = len(place)
			}
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		return place[s.outcomes[a].Config.Model] - place[s.outcomes[b].Config.Model]
	})
	if s.Workers > 0 || len(s.order) < 2 {
		return
	}
	var shared []string
	for _, name := range slices.Sorted(maps.Keys(place)) {
		if n := together(name); n > 1 {
			shared = append(shared, fmt.Sprintf("%d of %s", n, name))
		}
	}
	if len(shared) > 0 {
		s.progress.note("runs that share a GPU: %s, one network at a time (--jobs N: N runs)", strings.Join(shared, ", "))
	}
}

// skip uses the result of a run that was already finished, and reports whether it did.
func (s *schedule) skip(i int) bool {
	o := &s.outcomes[i]
	folder, err := store.Open(s.Root, o.ID)
	if err != nil || s.Restart {
		return false
	}
	result, err := folder.Result()
	if _, damaged := errors.AsType[*store.DamagedError](err); damaged {
		s.progress.note("%v; the run is repeated", err)
	}
	if err != nil {
		return false
	}
	o.settle(result)
	s.keep(o)
	s.started[i] = true
	return true
}

// keep drops an outcome's matrices if Brief is set.
func (s *schedule) keep(o *Outcome) {
	if s.Brief {
		o.Result.Transition = nil
	}
}

func (s *schedule) loop(ctx context.Context) {
	look := time.NewTicker(store.WatchInterval(s.leaseTime()))
	defer look.Stop()
	defer close(s.work)
	for {
		for !s.halted(ctx) && s.active < s.workers() {
			i, device, ok := s.next()
			if !ok {
				break
			}
			s.start(ctx, i, device)
		}
		if s.active == 0 && (len(s.watches) == 0 || s.halted(ctx)) {
			return
		}
		done := ctx.Done()
		if s.active > 0 {
			done = nil // active runs stop on their own
		}
		select {
		case e := <-s.ended:
			s.active--
			s.busy[e.device]--
			s.end(e.index, e.outcome)
		case <-look.C:
			s.look()
		case <-done:
		}
	}
}

// halted reports whether no more runs may start.
func (s *schedule) halted(ctx context.Context) bool {
	return ctx.Err() != nil || s.fatal != nil || s.lost != nil
}

func (s *schedule) start(ctx context.Context, i int, device string) {
	s.started[i] = true
	o := s.outcomes[i]
	if o.Needs != "" {
		if first := s.outcomes[s.index[o.Needs]]; !first.Finished() {
			o.State = store.Failed
			o.Err = fmt.Errorf("the cross-entropy run %s that it needs has no result: %w", o.Needs, first.Err)
			s.progress.note("%s: %v", o.Name, o.Err)
			s.end(i, o)
			return
		}
	}
	w := cmp.Or(s.watches[i], &store.Watch{})
	delete(s.watches, i)
	if s.threads == s.active {
		s.threads++
		go s.thread()
	}
	s.active++
	s.busy[device]++
	s.kind[device] = o.Config.Model
	s.work <- func() {
		err := guard.Call(func() error {
			o = s.attempt(ctx, o, device, w)
			return nil
		})
		if err != nil { // in files or the display; execute recovers the executor's panics
			o.State, o.Err = store.Failed, err
		}
		if o.State == store.Waiting {
			o.rival = w
		}
		s.ended <- ending{i, device, o}
	}
}

// thread executes runs one after the other on a single OS thread, because cuBLAS keeps a workspace for each thread that
// it has seen.
func (s *schedule) thread() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for run := range s.work {
		run()
	}
}

// device returns a device on which a run can start now; for "cuda", the free GPU with the fewest runs.
func (s *schedule) device(c config.Config) (device string, free bool) {
	if !onGPU(c.Device) {
		return c.Device, true
	}
	devices := []string{c.Device}
	if c.Device == "cuda" && len(s.Devices) > 0 {
		devices = s.Devices
	}
	for _, d := range devices {
		room := s.busy[d] == 0 || s.kind[d] == c.Model && (s.Workers > 0 || s.busy[d] < together(c.Model))
		if room && (!free || s.busy[d] < s.busy[device]) {
			device, free = d, true
		}
	}
	return device, free
}

// onGPU reports whether a device is a GPU.
func onGPU(device string) bool { return strings.HasPrefix(device, "cuda") }

// together returns how many runs of a network share a GPU well.
func together(network string) int { return max(models.All.Named(network).Together, 1) }

func (s *schedule) end(i int, o Outcome) {
	if o.State == store.Waiting {
		if s.watches[i] = o.rival; s.outcomes[i].rival == nil {
			s.progress.note("%s %s  waits: %v is executing it", o.ID, o.Name, o.rival.Owner())
		}
		s.outcomes[i].rival = o.rival
		return
	}
	o.rival = nil
	s.keep(&o)
	s.outcomes[i] = o
	switch {
	case errors.Is(o.Err, store.ErrUnavailable):
		s.fatal = o.Err
	case torch.IsKind(o.Err, torch.DeviceLost):
		s.lost = fmt.Errorf("%w: run %s left CUDA unusable; run the same command again for the other runs: %w",
			store.ErrUnavailable, o.ID, o.Err)
	}
}

// look marks runs of other processes as ready if their lease may be taken over.
func (s *schedule) look() {
	for i, w := range s.watches {
		free, err := w.Look(filepath.Join(s.Root, s.outcomes[i].ID), s.leaseTime())
		if free || err != nil || !s.Wait && w.Alive() {
			s.started[i] = false
			s.head = 0
		}
	}
}

func (s *schedule) leaseTime() time.Duration {
	if s.LeaseTime > 0 {
		return s.LeaseTime
	}
	return store.DefaultLeaseTime
}

func (s *schedule) workers() int {
	if s.Workers > 0 {
		return min(s.Workers, len(s.outcomes)) // more would stay idle
	}
	most := 0 // on one GPU
	for _, o := range s.outcomes {
		if onGPU(o.Config.Device) {
			most = max(most, together(o.Config.Model))
		}
	}
	if most > 0 {
		return min(most*max(len(s.Devices), 1), len(s.outcomes))
	}
	return runtime.NumCPU()
}

// next returns the first run that can start, and its device.
func (s *schedule) next() (i int, device string, ok bool) {
	for s.head < len(s.order) && s.started[s.order[s.head]] {
		s.head++
	}
	for _, i := range s.order[s.head:] {
		o := s.outcomes[i]
		if s.started[i] || o.Needs != "" && s.outcomes[s.index[o.Needs]].State == "" {
			continue
		}
		if device, ok := s.device(o.Config); ok {
			return i, device, true
		}
	}
	return 0, "", false
}

// err returns the error that describes how the plan ended.
func (s *schedule) err(ctx context.Context) error {
	failed := &FailedError{Total: len(s.outcomes) - s.unneeded}
	stopped := &StoppedError{Total: failed.Total, Err: store.ErrStopped, Cause: context.Cause(ctx)}
	open, unstarted, begun := 0, 0, false // begun: a checkpoint exists
	for _, o := range s.outcomes {
		if !o.Implied {
			failed.Requested++
		}
		switch {
		case o.Finished():
			stopped.Done++
			begun = true
		case o.State == store.Failed:
			failed.Failed = append(failed.Failed, o)
		case o.State == store.Stopped:
			open++
			begun = true
			if errors.Is(o.Err, store.ErrInterrupted) {
				stopped.Err = store.ErrInterrupted
			}
		case o.Implied:
		case ctx.Err() == nil:
			unstarted++
		default:
			open++
			_, err := store.Open(s.Root, o.ID)
			begun = begun || err == nil
		}
	}
	if !begun {
		stopped.Err = store.ErrInterrupted
	}
	switch {
	case s.fatal != nil:
		return s.fatal
	case s.lost != nil && unstarted > 0:
		return s.lost
	case open > 0:
		return stopped
	case len(failed.Failed) > 0:
		return failed
	}
	return nil
}
