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

// Exit codes, from sysexits.h where it defines one.
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

// UsageError is the error of a wrong command line.
type UsageError struct {
	Text string
	Help string // the command that explains it
}

// Error returns the problem and the command that shows help.
func (e *UsageError) Error() string {
	return fmt.Sprintf("%s (see %s --help)", e.Text, e.Help)
}

// Usage returns a UsageError; help is the command whose --help explains it.
func Usage(help, format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...), Help: help}
}

// Misuse returns a UsageError for the command of c.
func Misuse(c *cli.Context, format string, args ...any) error {
	return Usage(HelpName(c), format, args...)
}

// SignalError is the cause of a context canceled by a signal.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "signal: " + e.Signal.String() }

// TaskError is the error of a task's runs, with an exit code that lets schedulers decide
// whether to try again.
type TaskError struct {
	Err  error
	Code int
}

// Error returns the text of the wrapped error.
func (e *TaskError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *TaskError) Unwrap() error { return e.Err }

// GridError is the error of a finished grid with failed runs.
type GridError struct {
	Failed, Total int
	Root          string
}

// Error counts the failed runs, and names the commands that explain and retry them.
func (e *GridError) Error() string {
	root := shell.Word(e.Root)
	return fmt.Sprintf("%d of %s failed; losscorr grid status %s --failed shows why, losscorr grid run %s retries them",
		e.Failed, humanize.Runs(e.Total), root, root)
}

// Exit returns the exit code for an error. No other code maps errors to exit codes.
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
	case errors.Is(err, context.Canceled): // an interrupted download can resume
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

// signalled returns 128 plus the number of the error's signal, or of SIGINT if it has none.
func signalled(err error) int {
	number := syscall.SIGINT
	if signal, ok := errors.AsType[*SignalError](err); ok {
		if n, ok := signal.Signal.(syscall.Signal); ok {
			number = n
		}
	}
	return exitSignal + int(number)
}
