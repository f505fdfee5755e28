package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// The files of a run's folder.
const (
	ConfigFile      = "config.yaml"      // resolved; running it reproduces the run
	OverridesFile   = "overrides.txt"    // key=value of the command line, one a line
	EnvironmentFile = "env.json"         // Environment
	MetricsFile     = "metrics.jsonl"    // one training.Epoch a line
	LabelsFile      = "noisy_labels.csv" // the labels that were trained on
	TransitionFile  = "T.csv"            // the matrix that made the noise
	EstimateFile    = "T_hat.csv"        // the matrix that was estimated
	LogFile         = "log.txt"          // text for people, all attempts
	StatusFile      = "status.json"      // Status
	ResultFile      = "result.json"      // Result, written last: the mark of a finished run
	CheckpointsDir  = "checkpoints"      // the executor's
	lockFile        = ".lock"
)

// Folder holds everything about one run, under root/<id>.
type Folder struct {
	ID  string
	dir string
	own *flock.Flock // nil where the folder is only read
}

// Create makes or reopens the folder of a run and locks it for this process
// until Close. The error is ErrLocked where another process holds it.
func Create(root string, c Config, overrides []string) (*Folder, error) {
	f := &Folder{ID: c.ID(), dir: filepath.Join(root, c.ID())}
	if err := os.MkdirAll(f.Path(CheckpointsDir), 0o755); err != nil {
		return nil, fmt.Errorf("run %s: make its folder: %w", f.ID, err)
	}
	f.own = flock.New(f.Path(lockFile))
	locked, err := f.own.TryLock()
	if err != nil {
		return nil, fmt.Errorf("run %s: lock %s: %w", f.ID, f.Path(lockFile), err)
	}
	if !locked {
		return nil, fmt.Errorf("run %s in %s: %w%s; wait for it, or write to another folder with --out", f.ID, f.dir, ErrLocked, f.holder())
	}
	f.sweep()
	if err := f.describe(c, overrides); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// sweep removes what a killed process was writing: files are written under a
// hidden name first. One that stays does no harm.
func (f *Folder) sweep() {
	for _, pattern := range []string{".*", filepath.Join(CheckpointsDir, ".*")} {
		found, _ := filepath.Glob(f.Path(pattern)) // the pattern is well formed
		for _, path := range found {
			if filepath.Base(path) != lockFile {
				_ = os.Remove(path)
			}
		}
	}
}

// Open opens the folder of a run for reading.
func Open(root, id string) (*Folder, error) {
	f := &Folder{ID: id, dir: filepath.Join(root, id)}
	if _, err := os.Stat(f.Path(ConfigFile)); err != nil {
		return nil, fmt.Errorf("no run %s in %s: %w", id, root, err)
	}
	return f, nil
}

func (f *Folder) describe(c Config, overrides []string) error {
	text, err := c.YAML()
	if err != nil {
		return err
	}
	if err := f.Write(ConfigFile, text); err != nil {
		return err
	}
	lines := ""
	if len(overrides) > 0 {
		lines = strings.Join(overrides, "\n") + "\n"
	}
	return f.Write(OverridesFile, []byte(lines))
}

// holder names the process that a lock belongs to, as far as its status says.
func (f *Folder) holder() string {
	s, err := f.Status()
	if err != nil || s.PID == 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d on %s)", s.PID, s.Host)
}

// Close releases the lock. The lock file stays: removing it would let two
// processes hold locks on two files of one name.
func (f *Folder) Close() error {
	if f.own == nil {
		return nil
	}
	if err := f.own.Close(); err != nil {
		return fmt.Errorf("run %s: unlock: %w", f.ID, err)
	}
	return nil
}

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Path returns the path of a file in the folder.
func (f *Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{f.dir}, elem...)...)
}

// Write replaces a file of the folder as a whole: after a crash or on a full
// disk it holds the old text or the new one, never a part.
func (f *Folder) Write(name string, data []byte) error {
	if err := renameio.WriteFile(f.Path(name), data, 0o644); err != nil {
		return fmt.Errorf("run %s: write %s: %w", f.ID, name, err)
	}
	return nil
}

func (f *Folder) writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("run %s: encode %s: %w", f.ID, name, err)
	}
	return f.Write(name, append(data, '\n'))
}

func (f *Folder) readJSON(name string, v any) error {
	data, err := os.ReadFile(f.Path(name))
	if err != nil {
		return fmt.Errorf("run %s: %w", f.ID, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("run %s: %s is damaged: %w", f.ID, name, err)
	}
	return nil
}

// Config reads the run's configuration back.
func (f *Folder) Config() (Config, error) {
	runs, err := Load(f.Path(ConfigFile))
	if err != nil {
		return Config{}, fmt.Errorf("run %s: %w", f.ID, err)
	}
	return runs[0], nil
}

// Log opens the run's log for appending.
func (f *Folder) Log() (*os.File, error) {
	log, err := os.OpenFile(f.Path(LogFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("run %s: open its log: %w", f.ID, err)
	}
	return log, nil
}

// WriteResult marks the run as finished.
func (f *Folder) WriteResult(r Result) error { return f.writeJSON(ResultFile, r) }

// Result reads the result of a finished run. The error is ErrUnfinished where
// there is none; a damaged one counts as none, and the error says so.
func (f *Folder) Result() (Result, error) {
	var r Result
	err := f.readJSON(ResultFile, &r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, fmt.Errorf("run %s: %w", f.ID, ErrUnfinished)
	case err != nil:
		return Result{}, &DamagedError{Err: err}
	case r.Schema != 1:
		return Result{}, &DamagedError{Err: fmt.Errorf("run %s: %s has schema %d, this program reads 1", f.ID, ResultFile, r.Schema)}
	case r.ID != f.ID:
		return Result{}, &DamagedError{Err: fmt.Errorf("run %s: %s belongs to run %s", f.ID, ResultFile, r.ID)}
	}
	return r, nil
}

// DamagedError says that a result is there and cannot be used. It counts as
// ErrUnfinished: the run is done again.
type DamagedError struct{ Err error }

// Error says what is wrong with the file.
func (e *DamagedError) Error() string { return e.Err.Error() }

// Unwrap makes the error both ErrUnfinished and its cause.
func (e *DamagedError) Unwrap() []error { return []error{ErrUnfinished, e.Err} }
