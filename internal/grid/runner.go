package grid

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// ExecuteFunc executes one run, from its checkpoint if there is one. When ctx ends, it writes a checkpoint and returns
// store.ErrStopped, or store.ErrInterrupted if it cannot. It writes metrics, labels and matrices into the folder; the
// runner writes status and result. Each call has its own goroutine.
type ExecuteFunc func(ctx context.Context, job *store.Job) (store.Result, error)

// Outcome describes how one run of a plan ended.
type Outcome struct {
	store.Planned
	State   string       // store.Done, Diverged, Stopped or Failed; empty if not started
	Skipped bool         // the run was already finished
	Result  store.Result // of a finished run
	Err     error

	rival *store.Watch // watches the process that executes the run
}

// Finished reports whether the run has a result.
func (o Outcome) Finished() bool { return o.State == store.Done || o.State == store.Diverged }

// Summary describes how the run ended, in one line.
func (o Outcome) Summary() string {
	switch {
	case o.State == store.Waiting:
		return "not executed: " + o.Err.Error()
	case o.State == store.Stopped:
		return o.Err.Error()
	case o.Err != nil:
		return "failed: " + o.Err.Error()
	}
	selected, last, set := o.Result.Selected.TestAccuracy, o.Result.Last.TestAccuracy, "test"
	if math.IsNaN(selected) { // no test set
		selected, last, set = o.Result.Selected.ValAccuracy, o.Result.Last.ValAccuracy, "validation"
	}
	return fmt.Sprintf("%s, %s %.2f %% selected (epoch %d), %.2f %% last, %s", o.State,
		set, selected, o.Result.Selected.Epoch, last, humanize.Duration(time.Duration(o.Result.Seconds*float64(time.Second))))
}

// Runner executes plans on this machine.
type Runner struct {
	Root        string // has one folder per run
	Workers     int    // runs at a time; 0: one per core, or as many as share the GPUs well (models.Entry.Together)
	Execute     ExecuteFunc
	Progress    *Display // nil shows nothing
	Environment store.Environment

	// Wait makes Run wait for runs that other processes are executing, and take over from those that end first. Without
	// Wait such runs fail with store.ErrLocked.
	Wait      bool
	LeaseTime time.Duration // 0 means store.DefaultLeaseTime

	Restart bool     // every run starts from the beginning, even finished ones
	Devices []string // GPUs for runs with device "cuda", one network at a time on each; empty: the first
	Brief   bool     // drop matrices from outcomes, to save memory in plans of thousands of runs

	// CheckpointEvery bounds the work that a crash can lose: a checkpoint is written at the end of an epoch if this much
	// time has passed since the last one. 0 means DefaultCheckpointEvery; a negative value means after each epoch.
	CheckpointEvery time.Duration
}

// DefaultCheckpointEvery is short enough to lose little work, and long enough for checkpoints to cost almost nothing.
const DefaultCheckpointEvery = 10 * time.Second

// Run executes every unfinished run of a plan and returns how each ended, in the order of the plan. A failed run does
// not stop the others; the error is then a *FailedError. When ctx ends, the active runs write a checkpoint and stop,
// and the error is a *StoppedError. The error is store.ErrUnavailable if this process cannot execute runs, for example
// without libtorch.
func (r *Runner) Run(ctx context.Context, plan store.Plan) ([]Outcome, error) {
	if r.Execute == nil {
		return nil, fmt.Errorf("grid: this program was built without an executor: %w", store.ErrUnavailable)
	}
	s := newSchedule(r, plan)
	// With as many Ps as busy threads, Go's monitor takes the P of each thread that has been in libtorch for 20 us, and
	// wakes up as often. On two cores that costs two runs a tenth of their speed. One or two spare Ps avoid it.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), s.workers()+2))
	s.progress.plan(len(plan.Runs)-s.unneeded, s.skipped)
	s.loop(ctx)
	return s.outcomes, s.err(ctx)
}
