package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// What can end a run early. An executor wraps one of these, so that the
// scheduler and the exit code know what to do next.
var (
	// ErrStopped: asked to stop, it wrote a checkpoint; run it again to go on.
	ErrStopped = errors.New("stopped after a checkpoint")
	// ErrInterrupted: asked to stop before there was a checkpoint.
	ErrInterrupted = errors.New("interrupted before a checkpoint existed")
	// ErrUnavailable: libtorch or the device cannot be had. Every run of the
	// process would fail alike, so the scheduler starts no more.
	ErrUnavailable = errors.New("not available on this machine")
	// ErrData: a data file is missing or damaged.
	ErrData = errors.New("bad data")
	// ErrLocked: another process works on the run.
	ErrLocked = errors.New("the run is locked by another process")
	// ErrTaken: another process has taken the run over, and does it.
	ErrTaken = errors.New("another process has taken the run over")
	// ErrUnfinished: the run's folder holds no result that can be read.
	ErrUnfinished = errors.New("the run is not finished")
)

// Hint adds to an error of the file system what to do about it.
func Hint(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space and run the same command again, it goes on", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: make the folder writable, or write to another with --out", err)
	}
	return err
}
