package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/store"
	"github.com/urfave/cli/v2"
)

func (p Program) gridExecCommand() *cli.Command {
	return &cli.Command{
		Name: "exec", Usage: "do the runs of one index of a plan, as a task of a cluster's array", OnUsageError: usageError,
		Flags: append(placeFlags(),
			&cli.StringFlag{Name: "plan", Usage: "plan.json, or its folder", EnvVars: env("PLAN")},
			&cli.IntFlag{
				Name: "index", Usage: "number of the task, from 0",
				EnvVars: append(env("INDEX"), "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"),
			},
			&cli.IntFlag{Name: "offset", Usage: "added to the index: of an array that is one part of several", EnvVars: env("OFFSET")},
			&cli.IntFlag{Name: "pack", Usage: "runs a task, which are those from pack times the index", Value: 1, EnvVars: env("PACK")},
			jobsFlag(1),
		),
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if c.String("plan") == "" {
				return usage(helpName(c), "--plan is missing")
			}
			file, err := store.LoadPlan(c.String("plan"))
			if err != nil {
				return err
			}
			places, err := places(c, len(file.Runs))
			if err != nil {
				return err
			}
			return p.execute(c, file, places)
		},
	}
}

// places are the runs of a task: offset + index, or pack of them.
func places(c *cli.Context, total int) ([]int, error) {
	if !c.IsSet("index") {
		return nil, usage(helpName(c), "--index is missing, and neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set")
	}
	pack, task := c.Int("pack"), c.Int("index")+c.Int("offset")
	if pack < 1 {
		return nil, usage(helpName(c), "--pack %d is less than 1", pack)
	}
	if tasks := (total + pack - 1) / pack; c.Int("index") < 0 || task < 0 || task >= tasks {
		return nil, usage(helpName(c), "index %d and offset %d make %d; the plan's %s are tasks 0 to %d", c.Int("index"), c.Int("offset"), task, humanize.Runs(total), tasks-1)
	}
	var out []int
	for i := task * pack; i < min(total, (task+1)*pack); i++ {
		out = append(out, i)
	}
	return out, nil
}

func (p Program) execute(c *cli.Context, file store.PlanFile, places []int) error {
	plan, err := placed(c, file.Plan().Part(places...))
	if err != nil {
		return err
	}
	asked := c.Context
	ctx, stop := withRequeue(asked)
	defer stop()
	c.Context = ctx
	_, err = p.work(c, plan, planFolder(c.String("plan")), file.Overrides, sharing{wait: true, brief: true, noForecast: true})
	var failed *grid.FailedError
	if errors.As(err, &failed) {
		return &TaskError{failed}
	}
	var stopped *grid.StoppedError
	if errors.As(err, &stopped) {
		err = &TaskStopped{stopped}
	}
	// The cause also where the signal came before the first run, while data were read.
	var signal *SignalError
	if err != nil && errors.As(context.Cause(ctx), &signal) && signal.Signal == syscall.SIGUSR1 && p.Requeue != nil {
		if again := p.Requeue(asked); again != nil {
			fmt.Fprintf(p.Stderr, "the job is not queued again: %v; submit what is left\n", again)
		}
	}
	return err
}

// withRequeue ends the context at SIGUSR1, too.
func withRequeue(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGUSR1)
	go func() {
		select {
		case s := <-caught:
			cancel(&SignalError{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}

// planFolder is the folder of a plan that is named by its file or its folder.
func planFolder(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

// TaskStopped says that a task was asked to stop. Whether a checkpoint existed yet
// is no matter to a scheduler: another try goes on, or begins.
type TaskStopped struct{ *grid.StoppedError }

// Unwrap returns how far the runs came.
func (e *TaskStopped) Unwrap() error { return e.StoppedError }

// TaskError says which runs of a task failed. Whoever reads the exit code of a
// task decides by it whether another try makes sense: so it tells of bad data
// only where every failed run has bad data.
type TaskError struct{ *grid.FailedError }

// Unwrap returns the failure of the runs.
func (e *TaskError) Unwrap() error { return e.FailedError }

func (e *TaskError) all(kind error) bool {
	for _, o := range e.Failed {
		if !errors.Is(o.Err, kind) {
			return false
		}
	}
	return true
}
