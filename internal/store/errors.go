package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// The errors that end a run early. A function that executes runs wraps one of them;
// the scheduler and the exit code depend on it. Of data that is missing or damaged it wraps
// dataset.ErrData.
var (
	// ErrStopped: the run was asked to stop and wrote a checkpoint, from which it
	// resumes when it is run again.
	ErrStopped = errors.New("stopped after a checkpoint")
	// ErrInterrupted: the run was asked to stop before it had written a checkpoint.
	ErrInterrupted = errors.New("interrupted before a checkpoint existed")
	// ErrUnavailable: libtorch or the device is not available. Every run of the
	// process would fail in the same way, so the scheduler starts no more.
	ErrUnavailable = errors.New("not available on this machine")
	// ErrLocked: another process works on the run.
	ErrLocked = errors.New("the run is locked by another process")
	// ErrTaken: another process has taken the run over.
	ErrTaken = errors.New("another process has taken the run over")
	// ErrUnfinished: the run's folder has no readable result.
	ErrUnfinished = errors.New("the run is not finished")
)

// Hint adds advice to an error about a full disk or a folder that cannot be written.
// Other errors are returned unchanged.
func Hint(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space and run the same command again to resume", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: make the folder writable, or write to another with --out", err)
	}
	return err
}
