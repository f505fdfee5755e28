package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/files"
)

// The files of a run's folder.
const (
	ConfigFile      = "config.yaml"      // every setting; running it reproduces the run
	EnvironmentFile = "env.json"         // Environment
	MetricsFile     = "metrics.jsonl"    // one Epoch per line
	LabelsFile      = "noisy_labels.csv" // the labels used for training
	// TransitionFile is the matrix that made the noise, or the known one if the data comes with noisy labels.
	TransitionFile = "T.csv"
	EstimateFile   = "T_hat.csv"   // the estimated matrix
	LogFile        = "log.txt"     // of all attempts
	StatusFile     = "status.json" // Status
	ResultFile     = "result.json" // Result, written last: it marks a finished run
	LogitsFile     = "logits.npy"  // the selected network's outputs [N C] for the left-out examples
	CheckpointsDir = "checkpoints" // written by package train
)

// mostText is the size in bytes of the largest file that is read whole. A plan of 100,000 runs has 150 MB.
const mostText = 1 << 30

// Folder is the folder of one run, root/<id>. A Folder from Claim holds the run's lease and may write; one from Open,
// At or AtPath only reads.
type Folder struct {
	ID  string // with AtPath, empty until the result is read
	dir string
	own *lease // nil for reading only
}

// Claim creates or reopens the folder of a run and holds its lease until Close. The error is ErrLocked if another
// process holds the lease. w remembers between calls when that process was last seen alive; after limit without a sign
// of life, Claim takes the run over.
func Claim(root string, c config.Config, w *Watch, limit time.Duration) (*Folder, error) {
	f := &Folder{ID: c.ID(), dir: filepath.Join(root, c.ID())}
	if err := os.MkdirAll(f.Path(CheckpointsDir), 0o755); err != nil {
		return nil, fmt.Errorf("run %s: make its folder: %w", f.ID, err)
	}
	free, err := w.Look(f.dir, limit)
	if err == nil && free {
		f.own, free, err = w.take(f.dir, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s in %s: %w", f.ID, f.dir, err)
	}
	if !free {
		return nil, fmt.Errorf("run %s in %s: %w (%v); wait for it, or write to another folder with --out", f.ID, f.dir,
			ErrLocked, w.owner)
	}
	f.sweep()
	if err := f.describe(c); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Restart removes the checkpoints, metrics and results of earlier attempts.
func (f *Folder) Restart() error {
	for _, name := range []string{ResultFile, MetricsFile, StatusFile, CheckpointsDir} {
		if err := os.RemoveAll(f.Path(name)); err != nil {
			return fmt.Errorf("run %s: restart: %w", f.ID, err)
		}
	}
	if err := os.Mkdir(f.Path(CheckpointsDir), 0o755); err != nil {
		return fmt.Errorf("run %s: restart: %w", f.ID, err)
	}
	return nil
}

// sweep removes the hidden temporary files of processes that were killed while writing. One that cannot be removed does
// no harm.
func (f *Folder) sweep() {
	for _, pattern := range []string{".*", filepath.Join(CheckpointsDir, ".*")} {
		for _, path := range files.Glob(f.dir, pattern) {
			_ = os.Remove(path)
		}
	}
}

// Open opens the folder of a run for reading.
func Open(root, id string) (*Folder, error) {
	f := At(root, id)
	if _, err := os.Stat(f.Path(ConfigFile)); err != nil {
		return nil, fmt.Errorf("no run %s in %s: %w", id, root, err)
	}
	return f, nil
}

// At returns the folder of a run for reading, whether it exists or not.
func At(root, id string) *Folder { return &Folder{ID: id, dir: filepath.Join(root, id)} }

// AtPath returns the folder at a path for reading, whatever run it holds.
func AtPath(dir string) *Folder { return &Folder{dir: dir} }

// name returns the run's name for messages.
func (f *Folder) name() string {
	if f.ID == "" {
		return f.dir
	}
	return f.ID
}

// describe writes the configuration into the folder. If there is one already, it must be the same run's.
func (f *Folder) describe(c config.Config) error {
	text, err := c.YAML()
	if err != nil {
		return err
	}
	old, err := files.Read(f.Path(ConfigFile), mostText)
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	// A configuration that cannot be read is damaged, or names a file that has moved.
	if was, err := f.Config(); err == nil && was.ID() != f.ID {
		return fmt.Errorf("run %s (%s): %s holds another configuration, of run %s; move that folder away, or write to "+
			"another with --out", f.ID, c.Name(), f.dir, was.ID())
	}
	return f.Write(ConfigFile, text)
}

// Close releases the folder's lease.
func (f *Folder) Close() {
	if f.own != nil {
		f.own.release()
	}
}

// Check returns ErrTaken if another process has taken the run over because this one gave no sign of life for too long.
// Call it before writing into the folder.
func (f *Folder) Check() error {
	if f.own == nil {
		return nil
	}
	if err := f.own.check(); err != nil {
		return fmt.Errorf("run %s in %s: %w", f.ID, f.dir, err)
	}
	return nil
}

// Lost returns a channel that is closed when another process has taken the run over.
func (f *Folder) Lost() <-chan struct{} { return f.own.lost }

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Path returns the path of a file in the folder.
func (f *Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{f.dir}, elem...)...)
}

// Write replaces a file of the folder atomically: after a crash or on a full disk, the file holds the old content or
// the new, never a part.
func (f *Folder) Write(name string, data []byte) error {
	if err := f.Check(); err != nil {
		return err
	}
	if err := files.Write(f.Path(name), data, 0o644); err != nil {
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
	data, err := files.Read(f.Path(name), mostText)
	if err != nil {
		return fmt.Errorf("run %s: %w", f.name(), err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("run %s: %s is damaged: %w", f.name(), name, err)
	}
	return nil
}

// Config reads the run's configuration.
func (f *Folder) Config() (config.Config, error) {
	runs, err := config.Load(f.Path(ConfigFile))
	if err != nil {
		return config.Config{}, fmt.Errorf("run %s: %w", f.name(), err)
	}
	return runs[0], nil
}

// WriteResult writes the result, which marks the run as finished.
func (f *Folder) WriteResult(r Result) error {
	if err := f.writeJSON(ResultFile, r); err != nil {
		return err
	}
	return files.Sync(f.Path(ResultFile))
}

// Result reads the result of a finished run. The error is ErrUnfinished if it is missing. A damaged result counts as
// none, but then the error is a *DamagedError.
func (f *Folder) Result() (Result, error) {
	var r Result
	err := f.readJSON(ResultFile, &r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, fmt.Errorf("run %s: %w", f.name(), ErrUnfinished)
	case err != nil:
		return Result{}, &DamagedError{Err: err}
	case r.Schema != 1:
		return Result{}, &DamagedError{Err: fmt.Errorf("run %s: %s has schema %d, this program reads 1", f.name(), ResultFile,
			r.Schema)}
	case f.ID != "" && r.ID != f.ID:
		return Result{}, &DamagedError{Err: fmt.Errorf("run %s: %s belongs to run %s", f.ID, ResultFile, r.ID)}
	case r.State != Done && r.State != Diverged:
		return Result{}, &DamagedError{Err: fmt.Errorf("run %s: %s has the state %q, neither %s nor %s", f.name(), ResultFile,
			r.State, Done, Diverged)}
	}
	return r, nil
}

// DamagedError reports a result that exists but cannot be used. It wraps ErrUnfinished because the run has to be
// repeated.
type DamagedError struct{ Err error }

// Error describes the damage.
func (e *DamagedError) Error() string { return e.Err.Error() }

// Unwrap makes the error both ErrUnfinished and its cause.
func (e *DamagedError) Unwrap() []error { return []error{ErrUnfinished, e.Err} }
