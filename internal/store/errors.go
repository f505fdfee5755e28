package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
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

// Hint adds advice to an error about a full disk or an unwritable folder, and returns other errors unchanged.
func Hint(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space and run the same command again to resume", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: make the folder writable, or write to another with --out", err)
	}
	return err
}
