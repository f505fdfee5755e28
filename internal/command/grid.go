package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

func (p Program) gridCommand() *cli.Command {
	return group("grid", "plan and do many runs, here or on a cluster", "command",
		p.gridPlanCommand(), p.gridRunCommand(), p.gridExecCommand(), p.gridSubmitCommand(), p.gridStatusCommand())
}

// placeFlags returns the flags for where and how a plan runs; they do not change
// its runs' IDs.
func placeFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "device", Usage: "cpu, cuda or cuda:N, instead of the plan's", EnvVars: app.Env("DEVICE")},
		&cli.StringFlag{Name: "data", Usage: "folder of the data sets, instead of the plan's", EnvVars: app.Env("DATA")},
		&cli.DurationFlag{
			Name: "lease", Usage: "take over the run of another process after this long without a sign of life",
			Value: store.DefaultLeaseTime,
		},
	}, app.WorkFlags()...)
}

// placed returns a plan with the command line's device and data folder.
func placed(c *cli.Context, plan store.Plan) (store.Plan, error) {
	out := store.Plan{Runs: make([]store.Planned, len(plan.Runs))}
	data := c.String("data")
	if data != "" {
		var err error
		if data, err = filepath.Abs(data); err != nil {
			return out, fmt.Errorf("--data: %w", err)
		}
	}
	for i, r := range plan.Runs {
		if device := c.String("device"); device != "" {
			r.Config.Device = device
		}
		if data != "" {
			r.Config.Data = data
		}
		if err := r.Config.Validate(); err != nil {
			return out, err
		}
		out.Runs[i] = r
	}
	return out, nil
}

// group returns a command with subcommands; what is the word for one of them in errors.
func group(name, about, what string, commands ...*cli.Command) *cli.Command {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name
	}
	return &cli.Command{
		Name: name, Usage: about, Subcommands: commands,
		Action: func(c *cli.Context) error {
			return app.Misuse(c, "a %s is missing; there is: %s", what, strings.Join(names, ", "))
		},
	}
}

// loadPlan reads a plan from its file or its folder. For a folder without a plan, such as
// losscorr train and the experiments write, it makes a plan of the runs in the folder.
func loadPlan(path string) (store.PlanFile, error) {
	file, err := store.LoadPlan(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	entries, unread := os.ReadDir(path)
	if unread != nil {
		return file, err
	}
	var configs []config.Config
	for _, e := range entries {
		folder := store.AtPath(filepath.Join(path, e.Name()))
		// If the name differs from the run's ID, the folder was moved or a file that
		// its configuration names has changed; the run would get a new folder.
		if c, err := folder.Config(); err == nil && c.ID() == e.Name() {
			configs = append(configs, c)
		}
	}
	if configs == nil {
		return file, err
	}
	return store.Freeze(store.NewPlan(configs), losscorr.Version), nil
}
