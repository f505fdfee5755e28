package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
)

// Program is a command line and the parts that do its work.
type Program struct {
	Pipeline Pipeline
	// Open opens libtorch and a device before the first run. It returns libtorch's
	// entries in env.json, and the GPUs for the device cuda.
	Open           func(device string) (libtorch map[string]string, gpus []string, err error)
	Stdout, Stderr io.Writer // nil means the process's
}

// Pipeline executes runs; *run.Pipeline implements it.
type Pipeline interface {
	// Hold passes on a user's own data, already read, for the runs of a configuration.
	Hold(config.Config, *dataset.Dataset)
	// Preflight reads the inputs of runs, so that broken input fails before
	// training starts.
	Preflight(context.Context, []config.Config, dataset.Options) error
	// Execute executes one run.
	Execute(context.Context, *store.Job) (store.Result, error)
}

func (p Program) Complete() Program {
	if p.Stdout == nil {
		p.Stdout = os.Stdout
	}
	if p.Stderr == nil {
		p.Stderr = os.Stderr
	}
	p.Stdout, p.Stderr = visible{Raw(p.Stdout)}, visible{Raw(p.Stderr)}
	return p
}

func (p Program) App(name, what string) *cli.App {
	return &cli.App{
		Name: name, HelpName: name, Usage: what, Version: losscorr.Version,
		Writer: p.Stdout, ErrWriter: p.Stderr,
		DisableSliceFlagSeparator: true,                         // file names may have commas
		ExitErrHandler:            func(*cli.Context, error) {}, // Run calls Exit
		OnUsageError:              OnUsageError,
	}
}

func HelpName(c *cli.Context) string {
	if c.Command != nil && c.Command.HelpName != "" {
		return c.Command.HelpName
	}
	return c.App.HelpName
}

// ArgsKey is the key of the process's arguments in an app's metadata.
const ArgsKey = "args"

// Run runs a command line, prints its error and returns the exit code.
func (p Program) Run(app *cli.App, args []string) int {
	app.Metadata = map[string]any{ArgsKey: args}
	prepare(app.Commands)
	args, err := Permute(app, args)
	if err == nil {
		work := new(atomic.Value)
		work.Store("")
		ctx := context.WithValue(context.Background(), workKey{}, work)
		ctx, stop := CancelOn(ctx, p.Stderr, func() string { return work.Load().(string) }, stopping()...)
		defer stop()
		err = guard.Call(func() error { return app.RunContext(ctx, args) })
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v%s\n", app.Name, err, remedy(err))
	}
	return Exit(err)
}

// remedy returns advice on a full or read-only disk, or "" for other errors.
func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ": free some space and run the same command again to resume"
	case errors.Is(err, syscall.EROFS):
		return ": make the folder writable, or write to another with --out"
	}
	return ""
}

// stopping returns the signals that end a command at its next checkpoint. SIGHUP, from a
// closed terminal, is one unless the process ignores it, as under nohup.
func stopping() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// workKey is the context key of an *atomic.Value: the message to print when a signal stops the current work, or "" if
// the work cannot be stopped cleanly.
type workKey struct{}

// Messages of the first signal, by the work that it stops.
const (
	RunsStop   = "stopping (runs at their next checkpoint)"
	ReviewEnds = "ending the review; every decision is saved"
	OtherStops = "stopping"
)

// Stoppable marks the work until end is called as stopping cleanly when its context is
// canceled; text is the message. At other times the first signal ends the process. Calls
// may be nested, and end in reverse order.
func Stoppable(ctx context.Context, text string) (end func()) {
	work, ok := ctx.Value(workKey{}).(*atomic.Value)
	if !ok {
		return func() {}
	}
	before := work.Swap(text)
	return func() { work.Store(before) }
}

// CancelOn cancels a context at the first of some signals, with a *SignalError as its cause,
// and prints the message of under to w. The second signal ends the process as usual; so does
// the first while under returns "". If w is nil, later signals have no effect.
func CancelOn(parent context.Context, w io.Writer, under func() string, signals ...os.Signal) (context.Context,
	func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, signals...)
	go func() {
		select {
		case s := <-caught:
			if w != nil {
				signal.Stop(caught)
				text := under()
				if number, ok := s.(syscall.Signal); ok && text == "" {
					_ = syscall.Kill(os.Getpid(), number)
					time.Sleep(time.Second) // go on only if the signal did not end the process
				}
				fmt.Fprintln(w, cmp.Or(text, OtherStops)+"; interrupt again to abort")
			}
			cancel(&SignalError{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}

// prepare sets the common behaviour of all commands: errors of the flag parser are UsageErrors, a command without
// ArgsUsage takes no arguments, and help does not show "(default: false)".
func prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = OnUsageError
		for _, flag := range c.Flags {
			if f, ok := flag.(*cli.BoolFlag); ok {
				f.DisableDefaultText = !f.Value
			}
		}
		if c.ArgsUsage == "" && len(c.Subcommands) == 0 {
			c.Before = func(c *cli.Context) error { return Arguments(c, 0, 0, "") }
		}
		prepare(c.Subcommands)
	}
}

// CommandLine returns the command line as typed, except for one flag and its values.
func CommandLine(c *cli.Context, without string) string {
	args, _ := c.App.Metadata[ArgsKey].([]string)
	words := []string{c.App.Name}
	for k := 1; k < len(args); k++ {
		switch {
		case args[k] == "--"+without:
			k++
		case !strings.HasPrefix(args[k], "--"+without+"="):
			words = append(words, args[k])
		}
	}
	return shell.Join(words...)
}
