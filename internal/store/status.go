package store

import (
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
