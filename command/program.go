package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/store"
	"github.com/urfave/cli/v2"
)

// Program is a command line with what does its work.
type Program struct {
	Execute grid.ExecuteFunc
	// Machine opens the shim and measures; doctor prints it. Nil leaves it out.
	Machine func() (Machine, error)
	// Check is called before the first run: it opens libtorch and the device,
	// and returns what env.json tells of libtorch. Nil checks nothing.
	Check func(device string) (map[string]string, error)
	// Preflight is called after Check with the configurations of the runs to
	// do. It reads what they need, so that broken input is told before any
	// training. Nil reads nothing.
	Preflight func(context.Context, []config.Config, dataset.Options) error
	// Forecast is called after Preflight with the same configurations: what they
	// will take one after the other. Nil tells no time beforehand.
	Forecast func([]config.Config) (time.Duration, error)
	// Devices lists the GPUs that the device cuda stands for. Nil leaves it at one.
	Devices func() []string
	// Finish prints what finished runs amount to. Nil prints one line a run.
	Finish func(w io.Writer, root string, outcomes []grid.Outcome) error

	// Requeue is called after a checkpoint that SIGUSR1 asked of grid exec, the
	// signal by which a scheduler announces that it takes the machine away. It has
	// the job queued again and waits for the end, or for ctx's. Nil does nothing.
	Requeue func(ctx context.Context) error

	Stdout, Stderr io.Writer
}

// Main is the losscorr command. It returns the exit code.
func Main(args []string) int { return Default.Main(args) }

// Main is the losscorr command with p's parts.
func (p Program) Main(args []string) int {
	p = p.complete()
	app := p.app("losscorr", "train deep networks through label noise")
	app.Commands = p.commands()
	app.EnableBashCompletion = true
	app.Action = func(c *cli.Context) error { return cli.ShowAppHelp(c) }
	return p.run(app, args)
}

func (p Program) commands() []*cli.Command {
	return []*cli.Command{
		p.trainCommand(), p.gridCommand(), p.reportCommand(), p.resultsCommand(), p.configCommand(), p.doctorCommand(), p.selftestCommand(), p.setupCommand(), p.completionCommand(), p.versionCommand(),
	}
}

func (p Program) complete() Program {
	if p.Stdout == nil {
		p.Stdout = os.Stdout
	}
	if p.Stderr == nil {
		p.Stderr = os.Stderr
	}
	return p
}

func (p Program) app(name, what string) *cli.App {
	return &cli.App{
		Name: name, HelpName: name, Usage: what, Version: losscorr.Version,
		Writer: p.Stdout, ErrWriter: p.Stderr, Suggest: true,
		ExitErrHandler: func(*cli.Context, error) {}, // Exit decides, once
		OnUsageError:   usageError,
	}
}

func usageError(c *cli.Context, err error, _ bool) error {
	return usage(helpName(c), "%v", err)
}

func helpName(c *cli.Context) string {
	if c.Command != nil && c.Command.HelpName != "" {
		return c.Command.HelpName
	}
	return c.App.HelpName
}

// run parses and acts, prints the error for people and returns the exit code.
func (p Program) run(app *cli.App, args []string) int {
	args, err := permute(app, args)
	if err == nil {
		ctx, stop := withSignals(context.Background(), p.Stderr)
		defer stop()
		err = app.RunContext(ctx, args)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", app.Name, err)
	}
	return Exit(err)
}

// withSignals ends the context at the first SIGINT or SIGTERM, so that runs
// stop at a checkpoint. The second one has its usual effect: the process dies.
func withSignals(parent context.Context, w io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-caught:
			signal.Stop(caught)
			fmt.Fprintln(w, "stopping at the next checkpoint; once more to abort")
			cancel(&SignalError{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}

func (p Program) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version", OnUsageError: usageError,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON", EnvVars: env("JSON")}},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			e := store.NewEnvironment(losscorr.Version, nil)
			if c.Bool("json") {
				return p.printJSON(map[string]any{
					"schema": 1, "program": e.Program, "go": e.Go, "os": e.OS, "arch": e.Arch,
					"revision": e.Revision, "modified": e.Modified,
				})
			}
			line := fmt.Sprintf("losscorr %s %s %s/%s", e.Program, e.Go, e.OS, e.Arch)
			if e.Revision != "" {
				line += " " + e.Revision[:min(12, len(e.Revision))]
				if e.Modified {
					line += " modified"
				}
			}
			_, err := fmt.Fprintln(p.Stdout, line)
			return err
		},
	}
}

func noArguments(c *cli.Context) error {
	if c.NArg() > 0 {
		return usage(helpName(c), "unexpected argument %q", c.Args().First())
	}
	return nil
}
