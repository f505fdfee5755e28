package store

import (
	"errors"
)

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
