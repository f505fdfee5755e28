package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
)

// Exit codes, after sysexits.h where it has one.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitGridFailed  = 3
	ExitData        = 65
	ExitUnavailable = 69
	ExitInternal    = 70
	ExitStopped     = 75
	ExitConfig      = 78
	exitSignal      = 128 // plus the signal's number
)

// UsageError is a command line that cannot be understood.
type UsageError struct {
	Text string
	Help string // the command that explains it
}

// Error says what is wrong and where help is.
func (e *UsageError) Error() string {
	if e.Help == "" {
		return e.Text
	}
	return fmt.Sprintf("%s (see %s --help)", e.Text, e.Help)
}

// Usage is the error of a command line that the command help explains.
func Usage(help, format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...), Help: help}
}

// Misuse is the error of a command line of the command of c.
func Misuse(c *cli.Context, format string, args ...any) error {
	return Usage(HelpName(c), format, args...)
}

// SignalError is the cause of a context that a signal ended.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "signal: " + e.Signal.String() }

// TaskError says how the runs of a task ended, with the exit code by which a scheduler
// decides whether another try makes sense.
type TaskError struct {
	Err  error
	Code int
}

// Error is that of the runs.
func (e *TaskError) Error() string { return e.Err.Error() }

// Unwrap is the error of the runs.
func (e *TaskError) Unwrap() error { return e.Err }

// GridError says that a grid is over and has failed runs.
type GridError struct {
	Failed, Total int
	Root          string
}

// Error says what shows and retries them.
func (e *GridError) Error() string {
	root := shell.Word(e.Root)
	return fmt.Sprintf("%d of %s failed; losscorr grid status %s --failed says why, losscorr grid run %s retries them",
		e.Failed, humanize.Runs(e.Total), root, root)
}

// Exit returns the exit code for an error: the one place that maps them.
func Exit(err error) int {
	task, isTask := errors.AsType[*TaskError](err)
	stopped, isStopped := errors.AsType[*grid.StoppedError](err)
	failed, isFailed := errors.AsType[*grid.FailedError](err)
	switch {
	case err == nil:
		return ExitDone
	case is[*UsageError](err):
		return ExitUsage
	case is[*guard.PanicError](err):
		return ExitInternal
	case isTask:
		return task.Code
	case isStopped && !errors.Is(stopped.Err, store.ErrInterrupted):
		return ExitStopped
	case isStopped, is[*SignalError](err):
		return signalled(err)
	case errors.Is(err, context.Canceled): // a download, of which what came is kept
		return ExitStopped
	case isFailed && failed.Requested > 1, is[*GridError](err):
		return ExitGridFailed
	case is[*config.ConfigError](err), is[*config.FileError](err), is[*store.PlanError](err),
		is[*cluster.SiteError](err):
		return ExitConfig
	case errors.Is(err, store.ErrUnavailable):
		return ExitUnavailable
	case errors.Is(err, dataset.ErrData):
		return ExitData
	}
	return ExitFailed
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// signalled returns 128 plus the number of the signal that an error names, by default SIGINT's.
func signalled(err error) int {
	number := syscall.SIGINT
	if signal, ok := errors.AsType[*SignalError](err); ok {
		if n, ok := signal.Signal.(syscall.Signal); ok {
			number = n
		}
	}
	return exitSignal + int(number)
}
