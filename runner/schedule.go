package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/losscorr/losscorr/training"
)

// Job is what an executor gets for one run.
type Job struct {
	Config           Config
	Folder           *Folder // locked for this process
	DependencyFolder *Folder // of the cross-entropy run, for an estimated loss; nil otherwise
	Progress         Sink
	Log              io.Writer // the run's log.txt
	CheckpointEvery  time.Duration
	Warn             func(error) // tells people what went wrong without ending the run
}

// Sink takes what a run reports while it trains. Its methods may be called from
// the run's goroutine only.
type Sink interface {
	// Epoch reports a finished epoch.
	Epoch(e training.Epoch)
	// Batch reports how many of an epoch's batches are done.
	Batch(done, total int)
}

// ExecuteFunc does one run. It goes on from a checkpoint in the folder, and
// when ctx ends it writes one and returns ErrStopped (ErrInterrupted where it
// cannot). It writes metrics, labels and matrices into the folder; the runner
// writes status and result. Each call has a goroutine of its own.
type ExecuteFunc func(ctx context.Context, job *Job) (Result, error)

// Outcome is how one run of a plan ended.
type Outcome struct {
	Planned
	State   string // Done, Diverged, Stopped, Failed, or empty where it was not reached
	Skipped bool   // it was finished before
	Result  Result // of a finished run
	Err     error
}

// Finished reports whether the run has a result.
func (o Outcome) Finished() bool { return o.State == Done || o.State == Diverged }

// Runner runs plans on this machine.
type Runner struct {
	Root        string // holds one folder a run
	Workers     int    // runs at a time; 0 means one a core
	Execute     ExecuteFunc
	Progress    Progress // nil shows nothing
	Overrides   []string // of the command line, kept with each run
	Environment Environment

	// CheckpointEvery bounds what a crash can cost: at the end of an epoch, if
	// as much time has passed, a checkpoint is written. 0 means
	// DefaultCheckpointEvery, less than 0 after each epoch.
	CheckpointEvery time.Duration
}

// DefaultCheckpointEvery is often enough to lose little and rare enough to cost
// nothing.
const DefaultCheckpointEvery = 10 * time.Second

// Run does every unfinished run of a plan and returns how each ended, in the
// order of the plan. A failed run does not stop the others: the error is then a
// *FailedError. When ctx ends, the runs under way stop at their next checkpoint
// and the error is a *StoppedError. What no run could have is ErrUnavailable.
func (r *Runner) Run(ctx context.Context, plan Plan) ([]Outcome, error) {
	if r.Execute == nil {
		return nil, fmt.Errorf("runner: this program was built without an executor: %w", ErrUnavailable)
	}
	s := newSchedule(r, plan)
	// With as many Ps as busy threads, Go's monitor takes a P from each thread
	// that is inside libtorch for 20 us, and wakes as often: on two cores that
	// costs two runs a tenth of their speed. A P or two to spare calms it.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), s.workers()+2))
	s.progress.Plan(len(plan.Runs)-s.unneeded, s.skipped)
	defer s.progress.Close()
	s.loop(ctx)
	return s.outcomes, s.err(ctx)
}

// schedule is the state of one call of Run. One goroutine owns it.
type schedule struct {
	*Runner
	progress Progress
	outcomes []Outcome
	index    map[string]int // id -> place in the plan
	started  []bool
	skipped  int
	unneeded int // added runs that only finished runs would have read
	active   int
	fatal    error
	ended    chan ending
}

type ending struct {
	index   int
	outcome Outcome
}

func newSchedule(r *Runner, plan Plan) *schedule {
	s := &schedule{
		Runner: r, progress: r.Progress, index: map[string]int{},
		outcomes: make([]Outcome, len(plan.Runs)), started: make([]bool, len(plan.Runs)), ended: make(chan ending),
	}
	if s.progress == nil {
		s.progress = Quiet{}
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
	for i, p := range plan.Runs {
		if p.Added && !s.started[i] && !needed[p.ID] {
			s.started[i] = true
			s.unneeded++
		}
	}
	return s
}

// skip takes over the result of a run that was finished before.
func (s *schedule) skip(i int) bool {
	o := &s.outcomes[i]
	folder, err := Open(s.Root, o.ID)
	if err != nil {
		return false
	}
	result, err := folder.Result()
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		s.progress.Note(fmt.Sprintf("%v; the run is done again", err))
	}
	if err != nil {
		return false
	}
	o.Result, o.State, o.Skipped = result, result.State, true
	s.started[i] = true
	return true
}

func (s *schedule) loop(ctx context.Context) {
	for {
		for ctx.Err() == nil && s.fatal == nil && s.active < s.workers() {
			i, ok := s.next()
			if !ok {
				break
			}
			s.started[i] = true
			if o := &s.outcomes[i]; o.Needs != "" && !s.outcomes[s.index[o.Needs]].Finished() {
				o.State = Failed
				o.Err = fmt.Errorf("the cross-entropy run %s that it needs has no result: %w", o.Needs, s.outcomes[s.index[o.Needs]].Err)
				s.progress.Note(fmt.Sprintf("%s: %v", o.Config.Name(), o.Err))
				continue
			}
			s.active++
			o := s.outcomes[i]
			go func() { s.ended <- ending{i, s.attempt(ctx, o)} }()
		}
		if s.active == 0 {
			return
		}
		e := <-s.ended
		s.active--
		s.outcomes[e.index] = e.outcome
		if errors.Is(e.outcome.Err, ErrUnavailable) {
			s.fatal = e.outcome.Err
		}
	}
}

func (s *schedule) workers() int {
	if s.Workers > 0 {
		return s.Workers
	}
	return runtime.NumCPU()
}

// next returns the first run that can start. Runs that others wait for come
// first, so that a pool of workers does not run dry at the end.
func (s *schedule) next() (int, bool) {
	first := -1
	for i, o := range s.outcomes {
		if s.started[i] || !s.ready(o) {
			continue
		}
		if s.awaited(o.ID) {
			return i, true
		}
		if first < 0 {
			first = i
		}
	}
	return first, first >= 0
}

func (s *schedule) ready(o Outcome) bool {
	return o.Needs == "" || s.outcomes[s.index[o.Needs]].State != ""
}

func (s *schedule) awaited(id string) bool {
	for i, o := range s.outcomes {
		if o.Needs == id && !s.started[i] {
			return true
		}
	}
	return false
}

func (s *schedule) planned() []Planned {
	runs := make([]Planned, len(s.outcomes))
	for i, o := range s.outcomes {
		runs[i] = o.Planned
	}
	return runs
}

// err sums up how the plan ended.
func (s *schedule) err(ctx context.Context) error {
	failed := &FailedError{Total: len(s.outcomes) - s.unneeded, Asked: Plan{Runs: s.planned()}.Asked()}
	stopped := &StoppedError{Total: failed.Total, Err: ErrStopped, Cause: context.Cause(ctx)}
	open, begun := 0, false // before or now: there is something to go on from
	for _, o := range s.outcomes {
		switch {
		case o.Finished():
			stopped.Done++
			begun = true
		case o.State == Failed:
			failed.Failed = append(failed.Failed, o)
		case o.State == Stopped:
			open++
			begun = true
			if errors.Is(o.Err, ErrInterrupted) {
				stopped.Err = ErrInterrupted
			}
		case ctx.Err() != nil && !o.Added:
			open++
			_, err := Open(s.Root, o.ID)
			begun = begun || err == nil
		}
	}
	if !begun {
		stopped.Err = ErrInterrupted
	}
	switch {
	case s.fatal != nil:
		return s.fatal
	case open > 0:
		return stopped
	case len(failed.Failed) > 0:
		return failed
	}
	return nil
}
