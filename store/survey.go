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

// FolderState is what a run's folder says of the run.
type FolderState struct {
	State  string        // of a result or a status, or Pending, Killed, Silent
	Result *Result       // nil: not finished
	Status Status        // of a run that is not finished; zero where there is none
	Owner  string        // of a run that is or was under way: process and host
	Ago    time.Duration // since its last sign of life, by this machine's clock and the file system's
}

// Finished reports whether the run has a result.
func (s FolderState) Finished() bool { return s.Result != nil }

// Epoch is the last epoch that the run finished.
func (s FolderState) Epoch() int {
	if s.Result != nil {
		return s.Result.Last.Epoch
	}
	return s.Status.Epoch
}

// Seconds is the wall time of all attempts.
func (s FolderState) Seconds() float64 {
	if s.Result != nil {
		return s.Result.Seconds
	}
	return s.Status.Seconds
}

// State reads the run's state. It writes nothing and asks no process, so it may
// be called anywhere that sees the folder. The error is a *DamagedError where a
// result is there and cannot be used: the state is then that of a run without one.
func (f *Folder) State() (FolderState, error) {
	s := FolderState{State: Pending}
	result, err := f.Result()
	if err == nil {
		s.State, s.Result = result.State, &result
		return s, nil
	}
	var damaged *DamagedError
	if !errors.As(err, &damaged) {
		err = nil
	}
	status, unread := f.Status()
	if unread != nil {
		return s, err
	}
	s.Status, s.State = status, status.State
	switch s.State {
	case Done, Diverged: // the result that belongs to it is missing or damaged
		s.State = Stopped
	case Running:
		l := lifeOf(f.dir)
		s.State, s.Owner, s.Ago = l.State, l.Owner, l.Ago(time.Now())
	}
	return s, err
}

// RunState is a run of a plan and what its folder says of it.
type RunState struct {
	Planned
	FolderState
	Problem string // why it failed, or what is wrong with its result
}

// Survey reads the states of a plan's runs.
func Survey(root string, plan Plan) []RunState {
	out := make([]RunState, len(plan.Runs))
	for i, r := range plan.Runs {
		state, err := At(root, r.ID).State()
		out[i] = RunState{Planned: r, FolderState: state}
		switch {
		case state.State == Failed:
			out[i].Problem = state.Status.Error
		case err != nil:
			out[i].Problem = err.Error()
		}
	}
	return out
}
