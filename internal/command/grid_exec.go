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
		Name: "exec", Usage: "execute the runs of one task of a plan, for job arrays of clusters",
		Flags: append(placeFlags(),
			&cli.StringFlag{Name: "plan", Usage: "plan.json, or its folder", EnvVars: app.Env("PLAN")},
			&cli.IntFlag{
				Name: "index", Usage: "number of the task, from 0",
				EnvVars: append(app.Env("INDEX"), indexVars()...),
			},
			&cli.IntFlag{Name: "offset", Usage: "number to add to the index, for a plan split into several arrays",
				EnvVars: app.Env("OFFSET")},
			&cli.IntFlag{Name: "pack", Usage: "runs per task; task I starts at run I times this number",
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

// places returns the positions in the plan of a task's runs.
func places(c *cli.Context, total int) ([]int, error) {
	if !c.IsSet("index") {
		return nil, app.Misuse(c, "--index is missing, and so are the variables %s", strings.Join(indexVars(), ", "))
	}
	pack, task := c.Int("pack"), c.Int("index")+c.Int("offset")
	if pack < 1 {
		return nil, app.Misuse(c, "--pack %d is less than 1", pack)
	}
	if tasks := (total + pack - 1) / pack; c.Int("index") < 0 || task < 0 || task >= tasks {
		return nil, app.Misuse(c, "task %d (index %d plus offset %d) is not in the plan: its %s are tasks 0 to %d", task,
			c.Int("index"), c.Int("offset"), humanize.Runs(total), tasks-1)
	}
	return cluster.Places(task, pack, total), nil
}

func (p Program) execute(c *cli.Context, file store.PlanFile, places []int) error {
	plan, err := placed(c, file.Plan.Part(places...))
	if err != nil {
		return err
	}
	parent := c.Context
	defer app.Stoppable(parent, app.RunsStop)() // Slurm sends SIGTERM while it requeues the task
	ctx, stop := app.CancelOn(parent, nil, nil, syscall.SIGUSR1)
	defer stop()
	c.Context = ctx
	_, err = p.Work(c, plan, planFolder(c.String("plan")), true)
	// The cause is set even if the signal came while the data was being read.
	var signal *app.SignalError
	err = taskError(err)
	if app.Exit(err) == app.ExitStopped && errors.As(context.Cause(ctx), &signal) && signal.Signal == syscall.SIGUSR1 {
		for _, s := range schedulers() {
			if refused := s.Requeue(parent); refused != nil {
				fmt.Fprintf(p.Stderr, "cannot requeue the job: %v; submit the rest yourself\n", refused)
			}
		}
	}
	return err
}

// planFolder returns the folder of a plan, given its file or its folder.
func planFolder(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

// taskError sets the exit code of a task. It is ExitData only if every failed run has bad
// data, and ExitStopped for a stopped run with or without a checkpoint, since another try
// may finish it.
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
