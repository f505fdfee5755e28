package store

import (
	"io"
	"os"
	"strings"
	"time"
)

// The states of a run. A result has only the last two.
const (
	Running  = "running"
	Stopped  = "stopped" // a checkpoint is there; running it again goes on
	Failed   = "failed"
	Done     = "done"
	Diverged = "diverged" // the loss became NaN: a result, not a failure
	Waiting  = "waiting"  // of an outcome only: another process does the run
)

// Status is what is known of a run while it has no result. A state of running
// whose process is gone means that the process was killed.
type Status struct {
	Schema   int      `json:"schema"`
	State    string   `json:"state"`
	PID      int      `json:"pid"`
	Host     string   `json:"host"`
	Epoch    int      `json:"epoch"` // last one finished
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

// SetStatus replaces the run's status, naming this process.
func (f *Folder) SetStatus(s Status) error {
	s.Schema, s.PID, s.Updated = 1, os.Getpid(), Timestamp()
	s.Host, _ = os.Hostname() // a machine without a name is no reason to fail
	return f.writeJSON(StatusFile, s)
}

// LogTail is the end of the run's log, as far as it can be read.
func (f *Folder) LogTail() []string {
	const most, lines = 8 << 10, 20
	file, err := os.Open(f.Path(LogFile))
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > most {
		if _, err := file.Seek(-most, io.SeekEnd); err != nil {
			return nil
		}
	}
	text, _ := io.ReadAll(file) // what could be read is better than nothing
	tail := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return tail[max(0, len(tail)-lines):]
}

// Timestamp is the time as the files and the log have it: RFC 3339, UTC.
func Timestamp() string { return time.Now().UTC().Format(time.RFC3339) }
