package grid

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/store"
)

// ExecuteFunc does one run. It goes on from a checkpoint in the folder, and
// when ctx ends it writes one and returns ErrStopped (ErrInterrupted where it
// cannot). It writes metrics, labels and matrices into the folder; the runner
// writes status and result. Each call has a goroutine of its own.
type ExecuteFunc func(ctx context.Context, job *store.Job) (store.Result, error)

// Outcome is how one run of a plan ended.
type Outcome struct {
	store.Planned
	State   string       // Done, Diverged, Stopped, Failed, or empty where it was not reached
	Skipped bool         // it was finished before
	Result  store.Result // of a finished run
	Err     error

	rival *store.Watch // of a run that another process does
}

// Finished reports whether the run has a result.
func (o Outcome) Finished() bool { return o.State == store.Done || o.State == store.Diverged }

// Summary says how the run ended in one line.
func (o Outcome) Summary() string {
	switch {
	case o.State == store.Waiting:
		return "given up: " + o.Err.Error()
	case o.State == store.Stopped:
		return o.Err.Error()
	case o.Err != nil:
		return "failed: " + o.Err.Error()
	}
	return fmt.Sprintf("%s, test %.2f %% selected (epoch %d), %.2f %% last, %s", o.State,
		o.Result.Selected.TestAccuracy, o.Result.Selected.Epoch, o.Result.Last.TestAccuracy,
		humanize.Duration(time.Duration(o.Result.Seconds*float64(time.Second))))
}

// Runner runs plans on this machine.
type Runner struct {
	Root        string // holds one folder a run
	Workers     int    // runs at a time; 0 means one a core
	Execute     ExecuteFunc
	Progress    Progress // nil shows nothing
	Overrides   []string // of the command line, kept with each run
	Environment store.Environment

	// Wait has runs that another process does be waited for, and taken over where
	// it ends before they do; else they fail with ErrLocked.
	Wait      bool
	LeaseTime time.Duration // see DefaultLeaseTime, which 0 means

	// MaxFailures is after how many failed runs no more are started; 0: never.
	MaxFailures int      // runs that lack what a failed one would have left do not count
	Resume      string   // one of Resumes; empty: ResumeAuto
	Devices     []string // GPUs that runs on "cuda" spread over; empty: the first
	Brief       bool     // outcomes keep no matrices: of thousands, they fill the memory

	// CheckpointEvery bounds what a crash can cost: at the end of an epoch, if
	// as much time has passed, a checkpoint is written. 0 means
	// DefaultCheckpointEvery, less than 0 after each epoch.
	CheckpointEvery time.Duration
}

// What is done with what earlier attempts have left.
const (
	ResumeAuto  = "auto"  // finished runs are left alone, others go on from their checkpoint
	ResumeNever = "never" // finished runs are left alone, others start anew
	ResumeForce = "force" // every run starts anew
)

// Resumes lists the values of Runner.Resume.
var Resumes = []string{ResumeAuto, ResumeNever, ResumeForce}

// DefaultCheckpointEvery is often enough to lose little and rare enough to cost
// nothing.
const DefaultCheckpointEvery = 10 * time.Second

// Run does every unfinished run of a plan and returns how each ended, in the
// order of the plan. A failed run does not stop the others: the error is then a
// *FailedError. When ctx ends, the runs under way stop at their next checkpoint
// and the error is a *StoppedError. What no run could have is ErrUnavailable.
func (r *Runner) Run(ctx context.Context, plan store.Plan) ([]Outcome, error) {
	if r.Execute == nil {
		return nil, fmt.Errorf("grid: this program was built without an executor: %w", store.ErrUnavailable)
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
