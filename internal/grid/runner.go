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

// ExecuteFunc executes one run. It resumes from a checkpoint in the folder. When ctx
// ends it writes a checkpoint and returns store.ErrStopped, or store.ErrInterrupted if
// there is none. It writes metrics, labels and matrices into the folder; the runner
// writes status and result. Each call runs in its own goroutine.
type ExecuteFunc func(ctx context.Context, job *store.Job) (store.Result, error)

// Outcome is how one run of a plan ended.
type Outcome struct {
	store.Planned
	State   string       // store.Done, Diverged, Stopped or Failed; empty if it was not started
	Skipped bool         // the run was finished before
	Result  store.Result // of a finished run
	Err     error

	rival *store.Watch // on the lease of a run that another process executes
}

// Finished reports whether the run has a result.
func (o Outcome) Finished() bool { return o.State == store.Done || o.State == store.Diverged }

// Summary describes in one line how the run ended.
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
	if math.IsNaN(selected) { // the data has no test set
		selected, last, set = o.Result.Selected.ValAccuracy, o.Result.Last.ValAccuracy, "validation"
	}
	return fmt.Sprintf("%s, %s %.2f %% selected (epoch %d), %.2f %% last, %s", o.State,
		set, selected, o.Result.Selected.Epoch, last, humanize.Duration(time.Duration(o.Result.Seconds*float64(time.Second))))
}

// Runner executes plans on this machine.
type Runner struct {
	Root        string // holds one folder per run
	Workers     int    // runs at a time; 0: one for each core, or as many as share the GPUs well (models.Entry.Together)
	Execute     ExecuteFunc
	Progress    Progress // nil shows nothing
	Environment store.Environment

	// Wait makes Run wait for runs that another process executes, and take them over
	// if that process ends first. Without it they fail with store.ErrLocked.
	Wait      bool
	LeaseTime time.Duration // 0 means store.DefaultLeaseTime

	Resume  string   // one of Resumes; empty: ResumeAuto
	Devices []string // GPUs that share the runs with device "cuda", one network at a time on each; empty: the first
	Brief   bool     // outcomes keep no matrices, which of thousands of runs fill the memory

	// CheckpointEvery bounds the work that a crash can lose: a checkpoint is written
	// at the end of an epoch if this much time has passed since the last one. 0 means
	// DefaultCheckpointEvery; a negative value means after each epoch.
	CheckpointEvery time.Duration
}

// The values of Runner.Resume: what is done with the runs of earlier attempts.
const (
	ResumeAuto  = "auto"  // finished runs are skipped, others resume from their checkpoint
	ResumeNever = "never" // finished runs are skipped, others start from the beginning
	ResumeForce = "force" // every run starts from the beginning

	// ResumeChanged starts runs of other code from the beginning, the finished ones too:
	// those whose revision is not that of Environment, or is not known, or that were made
	// with uncommitted changes.
	ResumeChanged = "changed"
)

// Resumes lists the values of Runner.Resume.
var Resumes = []string{ResumeAuto, ResumeNever, ResumeForce, ResumeChanged}

// DefaultCheckpointEvery is short enough to lose little work and long enough for
// checkpoints to cost next to nothing.
const DefaultCheckpointEvery = 10 * time.Second

// Run executes every unfinished run of a plan and returns how each ended, in the order
// of the plan. A failed run does not stop the others; the error is then a
// *FailedError. When ctx ends, the active runs write a checkpoint and stop, and the
// error is a *StoppedError. The error is store.ErrUnavailable if no run can be
// executed in this process, for example without libtorch.
func (r *Runner) Run(ctx context.Context, plan store.Plan) ([]Outcome, error) {
	if r.Execute == nil {
		return nil, fmt.Errorf("grid: this program was built without an executor: %w", store.ErrUnavailable)
	}
	s := newSchedule(r, plan)
	// With as many Ps as busy threads, Go's monitor takes the P of each thread that
	// is inside libtorch for 20 us, and wakes as often: on two cores that costs two
	// runs a tenth of their speed. One or two spare Ps avoid it.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), s.workers()+2))
	s.progress.Plan(len(plan.Runs)-s.unneeded, s.skipped)
	defer s.progress.Close()
	s.loop(ctx)
	return s.outcomes, s.err(ctx)
}
