package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/grid/cluster/kubernetes"
	"github.com/losscorr/losscorr/internal/grid/cluster/slurm"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// schedulers returns the schedulers, without any site's settings. To add one, write a
// package that implements cluster.Scheduler and an entry here.
func schedulers() []cluster.Scheduler {
	return []cluster.Scheduler{new(slurm.Site), new(kubernetes.Site)}
}

// indexVars returns the environment variables that hold a task's index.
func indexVars() []string {
	var out []string
	for _, s := range schedulers() {
		out = append(out, s.Names().Index)
	}
	return out
}

func (p Program) gridSubmitCommand() *cli.Command {
	var commands []*cli.Command
	for _, s := range schedulers() {
		commands = append(commands, p.submitCommand(s))
	}
	return group("submit", "hand the unfinished runs of a plan to a cluster", "cluster", commands...)
}

func (p Program) submitCommand(s cluster.Scheduler) *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "site", Usage: "YAML file of the cluster's options; flags win"},
		&cli.IntFlag{Name: "pack", Usage: "runs per task",
			DefaultText: "about ten minutes' worth, judging by earlier runs", EnvVars: app.Env("PACK")},
		app.JobsFlag(1),
		&cli.StringFlag{Name: "device", Usage: "cpu, cuda or cuda:N, instead of the plan's", EnvVars: app.Env("DEVICE")},
		&cli.StringFlag{Name: "data", Usage: "folder of the data sets on the cluster, instead of the plan's",
			EnvVars: app.Env("DATA")},
		&cli.BoolFlag{Name: "offline", Usage: "do not download missing data sets", EnvVars: app.Env("OFFLINE")},
		app.MaxBadFlag(),
		&cli.BoolFlag{Name: "rest", Usage: "submit runs that are neither finished nor queued"},
		&cli.BoolFlag{Name: "force", Usage: "submit all unfinished runs, even queued ones"},
		&cli.BoolFlag{Name: "dry-run", Usage: "print what would be submitted; write and submit nothing"},
	}
	for _, o := range s.Options() {
		if o.Usage == "" {
			continue
		}
		switch o.Value.(type) {
		case *string:
			flags = append(flags, &cli.StringFlag{Name: o.Name, Usage: o.Usage, DefaultText: o.Default})
		case *int:
			flags = append(flags, &cli.IntFlag{Name: o.Name, Usage: o.Usage, DefaultText: o.Default})
		case *bool:
			flags = append(flags, &cli.BoolFlag{Name: o.Name, Usage: o.Usage})
		}
	}
	return &cli.Command{
		Name: s.Names().Scheduler, Usage: s.Names().Usage, ArgsUsage: "PLAN|DIR",
		Flags:  flags,
		Action: func(c *cli.Context) error { return p.submit(c, s) },
	}
}

// submit submits the plan named by the argument.
func (p Program) submit(c *cli.Context, s cluster.Scheduler) error {
	if err := app.Arguments(c, 1, 1, "a plan is missing: plan.json, or its folder"); err != nil {
		return err
	}
	sub := cluster.Submission{
		Dir: planFolder(c.Args().First()), Pack: c.Int("pack"), Args: execArgs(c, s.Names().Elsewhere),
		Rest: c.Bool("rest"), Force: c.Bool("force"), DryRun: c.Bool("dry-run"), Stdout: p.Stdout, Stderr: p.Stderr,
	}
	if c.IsSet("pack") && sub.Pack < 1 {
		return app.Misuse(c, "--pack %d is less than 1", sub.Pack)
	}
	var err error
	if sub.Plan, err = store.LoadPlan(c.Args().First()); err != nil {
		return err
	}
	plan, err := placed(c, sub.Plan.Plan)
	if err != nil { // invalid device or folder
		return err
	}
	if !c.IsSet("pack") {
		sub.Pack = p.packed(sub.Dir, plan, max(1, c.Int("workers")))
	}
	sub.OnCPU = slices.ContainsFunc(plan.Runs, func(r store.Planned) bool {
		return cmp.Or(r.Config.Device, "cpu") == "cpu"
	})
	if err := configureSite(c, s); err != nil {
		return err
	}
	defer app.Stoppable(c.Context, app.OtherStops)()
	return cluster.Submit(c.Context, s, &sub)
}

// taskTime is how long a cluster task should take. Short tasks load the scheduler and spend
// much of their time starting; long ones wait longer in the queue.
const taskTime = 10 * time.Minute

// packed returns and prints how many runs make a task of about taskTime with that many
// workers. It is one if no run of the same kind has finished.
func (p Program) packed(dir string, plan store.Plan, workers int) int {
	cost := grid.Estimate(dir, plan.Configs())
	if cost.Runs == 0 || cost.Time <= 0 {
		fmt.Fprintln(p.Stderr, "one run per task, since no run has finished to estimate its time; --pack N sets N per task")
		return 1
	}
	one := cost.Time / time.Duration(cost.Runs)
	pack := min(max(1, workers*int(taskTime/max(one, 1))), len(plan.Runs))
	if pack > 1 {
		fmt.Fprintf(p.Stderr, "%d runs per task, about ten minutes, since earlier runs took %s each; "+
			"--pack 1 sets one per task\n", pack, humanize.Duration(one))
	}
	return pack
}

// configureSite configures a scheduler from the site file, then from the flags, which
// override it.
func configureSite(c *cli.Context, s cluster.Scheduler) error {
	if path := c.String("site"); path != "" {
		if err := cluster.LoadSite(path, s); err != nil {
			return err
		}
	}
	for _, o := range s.Options() {
		if o.Usage == "" || !c.IsSet(o.Name) {
			continue
		}
		switch v := o.Value.(type) {
		case *string:
			*v = c.String(o.Name)
		case *int:
			*v = c.Int(o.Name)
		case *bool:
			*v = c.Bool(o.Name)
		}
	}
	if err := cluster.Validate(s); err != nil {
		return app.Misuse(c, "%v", err)
	}
	return nil
}

// execArgs returns the flags that submit passes on to grid exec. If elsewhere is set, tasks
// see other folders, so it leaves out this machine's LOSSCORR_DATA.
func execArgs(c *cli.Context, elsewhere bool) []string {
	var args []string
	if n := c.Int("workers"); n != 1 {
		args = append(args, "--jobs", strconv.Itoa(n))
	}
	for _, name := range []string{"device", "data"} {
		outside := app.FromEnvironment(c, name)
		if text := c.String(name); text != "" && !(outside && elsewhere && name == "data") {
			args = append(args, "--"+name, text)
		}
	}
	if c.Bool("offline") {
		args = append(args, "--offline")
	}
	if n := c.Int("max-bad"); n > 0 {
		args = append(args, "--max-bad", strconv.Itoa(n))
	}
	return args
}
