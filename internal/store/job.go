package store

import (
	"errors"
	"io"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// Job is the input of a function that executes one run; see grid.ExecuteFunc.
type Job struct {
	Config           config.Config
	Folder           *Folder // leased by this process
	DependencyFolder *Folder // of the cross-entropy run that estimates T; nil if not needed
	Progress         Sink
	Log              io.Writer // LogFile
	CheckpointEvery  time.Duration
	Warn             func(error) // reports a problem and continues
}

// Sink receives the progress of a run. Its methods are called only from the run's goroutine.
type Sink interface {
	// Resumed reports how many epochs earlier attempts finished, before any other report.
	Resumed(epochs int)
	// Epoch reports a finished epoch.
	Epoch(e metrics.Epoch)
	// Batch reports how many of an epoch's batches are done.
	Batch(done, total int)
}

// The errors that end a run early. A function that executes runs wraps one of them, or dataset.ErrData if data is
// missing or damaged. The scheduler and the exit code depend on them.
var (
	// ErrStopped: asked to stop, the run wrote a checkpoint; running it again resumes there.
	ErrStopped = errors.New("stopped after a checkpoint")
	// ErrInterrupted: the run was asked to stop before it wrote a checkpoint.
	ErrInterrupted = errors.New("interrupted before a checkpoint existed")
	// ErrUnavailable: libtorch or the device is unavailable. All further runs would fail too, so the scheduler starts
	// none.
	ErrUnavailable = errors.New("not available on this machine")
	// ErrLocked: another process is working on the run.
	ErrLocked = errors.New("the run is locked by another process")
	// ErrTaken: another process has taken the run over.
	ErrTaken = errors.New("another process has taken the run over")
	// ErrUnfinished: the run's folder has no readable result.
	ErrUnfinished = errors.New("the run is not finished")
)
