package store

import (
	"errors"
	"time"
)

// More states that a run's folder can show.
const (
	Pending = "pending" // not started
	Killed  = "killed"  // was running, but its process is gone
	Silent  = "silent"  // was running, but gave no sign of life for two lease times
)

// FolderState is the state of a run as its folder shows it.
type FolderState struct {
	State  string        // from the result or status, or Pending, Killed, Silent
	Result *Result       // nil if unfinished
	Status Status        // of an unfinished run; may be zero
	Owner  string        // of a run that has started: process and host
	Ago    time.Duration // since the owner's last sign of life, by the clocks of this machine and the file system
}

// Finished reports whether the run has a result.
func (s FolderState) Finished() bool { return s.Result != nil }

// Epoch returns the last epoch that was finished.
func (s FolderState) Epoch() int {
	if s.Result != nil {
		return s.Result.Last.Epoch
	}
	return s.Status.Epoch
}

// Seconds returns the wall time of all attempts.
func (s FolderState) Seconds() float64 {
	if s.Result != nil {
		return s.Result.Seconds
	}
	return s.Status.Seconds
}

// State returns the run's state. It only reads files, so any machine that sees the folder may call it. If a result
// exists but cannot be used, the error is a *DamagedError and the state is that without a result.
func (f *Folder) State() (FolderState, error) {
	s := FolderState{State: Pending}
	result, err := f.Result()
	if err == nil {
		s.State, s.Result = result.State, &result
		return s, nil
	}
	if _, damaged := errors.AsType[*DamagedError](err); !damaged {
		err = nil
	}
	status, unread := f.Status()
	if unread != nil {
		return s, err
	}
	s.Status, s.State = status, status.State
	switch s.State {
	case Done, Diverged: // but the result is missing or damaged
		s.State = Stopped
	case Running:
		s.watch(f.dir)
	}
	return s, err
}

// RunState is a run of a plan and the state of its folder.
type RunState struct {
	Planned
	FolderState
	Problem string // why it failed, or how its result is damaged
}

// Survey returns the states of a plan's runs from their folders under root.
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
