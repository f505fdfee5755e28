package app

import (
	"cmp"
	"context"
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

// Program is a command line with what does its work.
type Program struct {
	Pipeline Pipeline
	// Open opens libtorch and a device before the first run. It returns what
	// env.json holds of libtorch, and the GPUs that the device cuda stands for.
	Open           func(device string) (libtorch map[string]string, gpus []string, err error)
	Stdout, Stderr io.Writer // nil means the process's
}

// Pipeline does runs. *run.Pipeline implements it.
type Pipeline interface {
	// Hold gives it a user's own data that a command has read, for the runs of a configuration.
	Hold(config.Config, *dataset.Dataset)
	// Preflight reads what runs need, so that broken input is an error before
	// any training.
	Preflight(context.Context, []config.Config, dataset.Options) error
	// Forecast returns the time that runs will take one after the other. It is
	// called after Preflight.
	Forecast([]config.Config) (time.Duration, error)
	// Execute does one run.
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
		DisableSliceFlagSeparator: true,                         // names of files may have commas
		ExitErrHandler:            func(*cli.Context, error) {}, // Exit decides, once
		OnUsageError:              OnUsageError,
	}
}

func HelpName(c *cli.Context) string {
	if c.Command != nil && c.Command.HelpName != "" {
		return c.Command.HelpName
	}
	return c.App.HelpName
}

// ArgsKey is the key of an app's metadata that holds the arguments of the process.
const ArgsKey = "args"

// Run parses and acts, prints the error for people and returns the exit code.
func (p Program) Run(app *cli.App, args []string) int {
	app.Metadata = map[string]any{ArgsKey: args}
	app.Flags = withoutZeros(app.Flags)
	prepare(app.Commands)
	args, err := Permute(app, args)
	if _, gone := os.Getwd(); err == nil && gone != nil {
		err = fmt.Errorf("the working folder is not there any more (%w): change to another one with cd", gone)
	}
	if err == nil {
		work := new(atomic.Value)
		work.Store("")
		ctx := context.WithValue(context.Background(), workKey{}, work)
		ctx, stop := CancelOn(ctx, p.Stderr, func() string { return work.Load().(string) }, stopping()...)
		defer stop()
		err = guard.Call(func() error { return app.RunContext(ctx, args) })
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", app.Name, err)
	}
	return Exit(err)
}

// stopping returns the signals that end a command at its next checkpoint. A closed
// terminal is one, unless nohup or its like has the process ignore it.
func stopping() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// workKey is the key of a context's value: an *atomic.Value with the text that people are told when the work under way
// is stopped, "" for none. Such work looks at the context, and writes a checkpoint or cleans up at its end.
type workKey struct{}

// What a first signal says of the work that it stops.
const (
	RunsStop   = "stopping (runs at their next checkpoint)"
	ReviewEnds = "ending the review; every decision is saved"
	OtherStops = "stopping"
)

// Stoppable marks the work that begins as such until the function that it returns is
// called. Elsewhere the first signal ends the process. Work ends in the reverse order of
// its beginning.
func Stoppable(ctx context.Context, text string) (end func()) {
	work, ok := ctx.Value(workKey{}).(*atomic.Value)
	if !ok {
		return func() {}
	}
	before := work.Swap(text)
	return func() { work.Store(before) }
}

// CancelOn ends a context at the first of some signals, with a *SignalError as its cause.
// It prints to w what under says of the work, and the second signal has its usual effect: the
// process ends. The first one has, too, while under returns "". Where w is nil, later signals
// have no effect.
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
					time.Sleep(time.Second) // what follows is for a process that this does not end
				}
				fmt.Fprintln(w, cmp.Or(text, OtherStops)+"; once more to abort")
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

// prepare gives commands what all of them have in common: how an error of the flag parser is shown, that a command
// without ArgsUsage takes no arguments, and that its help does not show "(default: false)".
func prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = OnUsageError
		c.Flags = withoutZeros(c.Flags)
		if c.ArgsUsage == "" && len(c.Subcommands) == 0 {
			c.Before = func(c *cli.Context) error { return Arguments(c, 0, 0, "") }
		}
		prepare(c.Subcommands)
	}
}

// withoutZeros has the help show no default of switches that are off.
func withoutZeros(flags []cli.Flag) []cli.Flag {
	for _, flag := range flags {
		if f, ok := flag.(*cli.BoolFlag); ok {
			f.DisableDefaultText = !f.Value
		}
	}
	return flags
}

// CommandLine returns the command line as one types it, without a flag and its values.
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
