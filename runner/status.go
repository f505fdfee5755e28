package runner

import (
	"os"
	"time"
)

// The states of a run. A result has only the last two.
const (
	Running  = "running"
	Stopped  = "stopped" // a checkpoint is there; running it again goes on
	Failed   = "failed"
	Done     = "done"
	Diverged = "diverged" // the loss became NaN: a result, not a failure
)

// Status is what is known of a run while it has no result. A state of running
// whose process is gone means that the process was killed.
type Status struct {
	Schema   int     `json:"schema"`
	State    string  `json:"state"`
	PID      int     `json:"pid"`
	Host     string  `json:"host"`
	Epoch    int     `json:"epoch"` // last one finished
	Epochs   int     `json:"epochs"`
	Attempts int     `json:"attempts"`
	Seconds  float64 `json:"seconds"` // of all attempts
	Error    string  `json:"error,omitempty"`
	Updated  string  `json:"updated"` // RFC 3339, UTC
}

// Status reads the run's status.
func (f *Folder) Status() (Status, error) {
	var s Status
	err := f.readJSON(StatusFile, &s)
	return s, err
}

// SetStatus replaces the run's status, naming this process.
func (f *Folder) SetStatus(s Status) error {
	s.Schema, s.PID, s.Updated = 1, os.Getpid(), time.Now().UTC().Format(time.RFC3339)
	s.Host, _ = os.Hostname() // a machine without a name is no reason to fail
	return f.writeJSON(StatusFile, s)
}
