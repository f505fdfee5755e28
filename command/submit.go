package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/cluster"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/store"
	"github.com/urfave/cli/v2"
)

func (p Program) gridSubmitCommand() *cli.Command {
	return group("submit", "hand the unfinished runs of a plan to a cluster", "cluster", p.submitSlurmCommand(), p.submitKubernetesCommand())
}

// submitFlags are those of every cluster.
func submitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "site", Usage: "YAML file of the cluster's options; flags win", EnvVars: env("SITE")},
		&cli.IntFlag{Name: "pack", Usage: "runs of a task", Value: 1, EnvVars: env("PACK")},
		jobsFlag(1),
		&cli.StringFlag{Name: "device", Usage: "cpu, cuda or cuda:N, in place of the plan's", EnvVars: env("DEVICE")},
		&cli.StringFlag{Name: "data", Usage: "folder of the data sets there, in place of the plan's", EnvVars: env("DATA")},
		&cli.BoolFlag{Name: "offline", Usage: "download no data set that is missing", EnvVars: env("OFFLINE")},
		&cli.IntFlag{Name: "max-bad", Usage: "images that may be left out because they do not decode", EnvVars: env("MAX_BAD")},
		&cli.BoolFlag{Name: "resume", Usage: "submit what is neither finished nor queued", EnvVars: env("RESUME")},
		&cli.BoolFlag{Name: "force", Usage: "submit what is unfinished, even if it is queued", EnvVars: env("FORCE")},
		&cli.BoolFlag{Name: "dry-run", Usage: "print what would be submitted; write and submit nothing", EnvVars: env("DRY_RUN")},
	}
}

// submission is a plan on its way to a cluster.
type submission struct {
	dir    string // as given
	plan   store.PlanFile
	pack   int
	left   []int // places of the runs to submit
	record cluster.Record
}

// planToSubmit reads the plan that the only argument names.
func planToSubmit(c *cli.Context) (submission, error) {
	var s submission
	switch c.NArg() {
	case 0:
		return s, usage(helpName(c), "a plan is missing: plan.json, or its folder")
	case 1:
	default:
		return s, usage(helpName(c), "unexpected argument %q", c.Args().Get(1))
	}
	if s.pack = c.Int("pack"); s.pack < 1 {
		return s, usage(helpName(c), "--pack %d is less than 1", s.pack)
	}
	var err error
	if s.plan, err = store.LoadPlan(c.Args().First()); err != nil {
		return s, err
	}
	s.dir = planFolder(c.Args().First())
	if _, err := placed(c, s.plan.Plan()); err != nil { // a device or a folder that is none
		return s, err
	}
	s.left = cluster.Left(s.plan, s.dir)
	s.record, err = cluster.Load(s.dir)
	return s, err
}

// without leaves out runs that are queued.
func (s *submission) without(queued []int) {
	s.left = slices.DeleteFunc(s.left, func(i int) bool { return slices.Contains(queued, i) })
}

// execArgs are the flags that submit passes on to grid exec.
func execArgs(c *cli.Context) []string {
	var args []string
	if n := c.Int("workers"); n != 1 {
		args = append(args, "--jobs", strconv.Itoa(n))
	}
	for _, name := range []string{"device", "data"} {
		if text := c.String(name); text != "" {
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

// onCPU reports whether a run would be done on the CPU.
func onCPU(c *cli.Context, plan store.PlanFile) bool {
	if device := c.String("device"); device != "" {
		return device == "cpu"
	}
	return slices.ContainsFunc(plan.Runs, func(r store.PlanRun) bool { return orCPU(r.Config.Device) == "cpu" })
}

// nothingLeft says why there is nothing to submit.
func (p Program) nothingLeft(s submission, queued int) error {
	text := fmt.Sprintf("nothing to submit: all %s of %s are finished; losscorr report %s", humanize.Runs(len(s.plan.Runs)), s.dir, s.dir)
	if queued > 0 {
		text = fmt.Sprintf("nothing to submit: what is unfinished in %s is queued (%d tasks)", s.dir, queued)
	}
	_, err := fmt.Fprintln(p.Stdout, text)
	return err
}

// absolute are the plan's folder and the working folder as every machine of the
// cluster sees them.
func absolute(dir string) (plan, work string, err error) {
	if plan, err = filepath.Abs(dir); err == nil {
		work, err = os.Getwd()
	}
	return plan, work, err
}
