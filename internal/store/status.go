package store

import (
	"errors"
	"os"
	"time"
)

// The states of a run. A result has only Done or Diverged.
const (
	Running  = "running"
	Stopped  = "stopped" // after a checkpoint
	Failed   = "failed"
	Done     = "done"
	Diverged = "diverged" // the loss became NaN: a result, not a failure
	Waiting  = "waiting"  // only in a grid.Outcome: another process executes the run
)

// Status is the state of a run without a result. If State is Running and the process does not exist, it was killed.
type Status struct {
	Schema   int      `json:"schema"`
	State    string   `json:"state"`
	PID      int      `json:"pid"`
	Host     string   `json:"host"`
	Epoch    int      `json:"epoch"` // the last finished one
	Epochs   int      `json:"epochs"`
	Attempts int      `json:"attempts"`
	Seconds  float64  `json:"seconds"` // of all attempts
	Error    string   `json:"error,omitempty"`
	Log      []string `json:"log,omitempty"` // after a failure, the last lines of LogFile
	Updated  string   `json:"updated"`       // RFC 3339, UTC
}

// Status reads the run's status.
func (f *Folder) Status() (Status, error) {
	var s Status
	err := f.readJSON(StatusFile, &s)
	return s, err
}

// SetStatus replaces the run's status and names this process in it.
func (f *Folder) SetStatus(s Status) error {
	s.Schema, s.PID, s.Updated = 1, os.Getpid(), Timestamp()
	s.Host, _ = os.Hostname() // empty if the machine has no name
	return f.writeJSON(StatusFile, s)
}

// Timestamp returns the current time as files and logs have it: RFC 3339, UTC.
func Timestamp() string { return time.Now().UTC().Format(time.RFC3339) }

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

// watch adds what the lease of a running run shows about its owner. If it cannot be read, the owner counts as alive.
func (s *FolderState) watch(dir string) {
	var w Watch
	free, err := w.Look(dir, DefaultLeaseTime)
	if err != nil {
		return
	}
	s.Owner = w.owner.String()
	if info, err := os.Stat(leasePath(dir, w.generation)); err == nil {
		s.Ago = max(0, time.Since(info.ModTime())) // clocks may differ
	}
	switch {
	case free:
		s.State = Killed
	case s.Ago > 2*w.owner.patience(DefaultLeaseTime) && !w.owner.here(me()):
		s.State = Silent
	}
}
