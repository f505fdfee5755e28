package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

func (p Program) gridExecCommand() *cli.Command {
	return &cli.Command{
		Name: "exec", Usage: "execute the runs of one index of a plan, as a task of a cluster's array",
		Flags: append(placeFlags(),
			&cli.StringFlag{Name: "plan", Usage: "plan.json, or its folder", EnvVars: app.Env("PLAN")},
			&cli.IntFlag{
				Name: "index", Usage: "number of the task, from 0",
				EnvVars: append(app.Env("INDEX"), indexVars()...),
			},
			&cli.IntFlag{Name: "offset", Usage: "number added to the index, for an array that is one part of several",
				EnvVars: app.Env("OFFSET")},
			&cli.IntFlag{Name: "pack", Usage: "runs per task: that of index I executes the runs from I times this number on",
				Value: 1, EnvVars: app.Env("PACK")},
			app.JobsFlag(1),
		),
		Action: func(c *cli.Context) error {
			if c.String("plan") == "" {
				return app.Misuse(c, "--plan is missing")
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
		return nil, app.Misuse(c, "--index is missing, and none of %s is set", strings.Join(indexVars(), ", "))
	}
	pack, task := c.Int("pack"), c.Int("index")+c.Int("offset")
	if pack < 1 {
		return nil, app.Misuse(c, "--pack %d is less than 1", pack)
	}
	if tasks := (total + pack - 1) / pack; c.Int("index") < 0 || task < 0 || task >= tasks {
		return nil, app.Misuse(c, "task %d (index %d and offset %d) is not in the plan, whose %s are tasks 0 to %d", task,
			c.Int("index"), c.Int("offset"), humanize.Runs(total), tasks-1)
	}
	return cluster.Places(task, pack, total), nil
}

func (p Program) execute(c *cli.Context, file store.PlanFile, places []int) error {
	plan, err := placed(c, file.Plan().Part(places...))
	if err != nil {
		return err
	}
	parent := c.Context
	defer app.Stoppable(parent, app.RunsStop)() // Slurm ends the task with SIGTERM while it is being queued again
	ctx, stop := app.CancelOn(parent, nil, nil, syscall.SIGUSR1)
	defer stop()
	c.Context = ctx
	_, err = p.Work(c, plan, planFolder(c.String("plan")), Sharing{Plan: true})
	// The cause also where the signal came before the first run, while data were read.
	var signal *app.SignalError
	err = taskError(err)
	if app.Exit(err) == app.ExitStopped && errors.As(context.Cause(ctx), &signal) && signal.Signal == syscall.SIGUSR1 {
		for _, s := range schedulers() {
			if refused := s.Requeue(parent); refused != nil {
				fmt.Fprintf(p.Stderr, "the job is not queued again: %v; submit what is left\n", refused)
			}
		}
	}
	return err
}

// planFolder is the folder of a plan that is named by its file or its folder.
func planFolder(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

// taskError chooses the exit code of a task. It is that of bad data only where every
// failed run has bad data. Whether a stopped run had a checkpoint makes no difference:
// another try resumes from it, or starts.
func taskError(err error) error {
	var stopped *grid.StoppedError
	var failed *grid.FailedError
	switch {
	case errors.As(err, &failed):
		code := app.ExitData
		for _, o := range failed.Failed {
			if !errors.Is(o.Err, dataset.ErrData) {
				code = app.ExitFailed
			}
		}
		return &app.TaskError{Err: failed, Code: code}
	case errors.As(err, &stopped):
		return &app.TaskError{Err: stopped, Code: app.ExitStopped}
	}
	return err
}
