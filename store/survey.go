package store

import (
	"errors"
	"time"
)

// What is known of a run from its folder, besides the states of an outcome.
const (
	Pending = "pending" // not begun
	Killed  = "killed"  // was running, and its process is gone
	Silent  = "silent"  // was running, and has given no sign of life for longer than a lease lasts
)

// RunState is what a run's folder tells of it.
type RunState struct {
	Planned
	State   string
	Owner   string        // of a run that is or was under way: process and host
	Ago     time.Duration // since its last sign of life, by this machine's clock and the file system's
	Epoch   int
	Seconds float64 // of all attempts
	Error   string
	Log     []string // the end of a failed run's log
}

// Finished reports whether the run has a result.
func (s RunState) Finished() bool { return s.State == Done || s.State == Diverged }

// Survey looks at the folders of a plan's runs. It writes nothing and asks no
// process, so it may be called anywhere that sees the folders.
func Survey(root string, plan Plan) []RunState {
	out := make([]RunState, len(plan.Runs))
	for i, r := range plan.Runs {
		out[i] = stateOf(root, r)
	}
	return out
}

func stateOf(root string, r Planned) RunState {
	s := RunState{Planned: r, State: Pending}
	f := At(root, r.ID)
	result, err := f.Result()
	if err == nil {
		s.State, s.Epoch, s.Seconds = result.State, result.Last.Epoch, result.Seconds
		return s
	}
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		s.Error = err.Error()
	}
	status, err := f.Status()
	if err != nil {
		return s
	}
	s.Epoch, s.Seconds = status.Epoch, status.Seconds
	s.State = status.State
	switch s.State {
	case Failed:
		s.Error, s.Log = status.Error, status.Log
		return s
	case Done, Diverged: // the result that belongs to it is missing or damaged
		s.State = Stopped
		return s
	case Running:
	default:
		return s
	}
	life := LifeOf(f.dir)
	s.State, s.Owner, s.Ago = life.State, life.Owner, life.Ago(time.Now())
	return s
}
