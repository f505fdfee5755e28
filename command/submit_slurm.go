package command

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/cluster"
	"github.com/losscorr/losscorr/cluster/slurm"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/urfave/cli/v2"
)

func (p Program) submitSlurmCommand() *cli.Command {
	flags := submitFlags()
	for _, o := range slurm.Options {
		flags = append(flags, &cli.StringFlag{Name: o.Name, Usage: o.Usage, EnvVars: env(strings.ToUpper(o.Name))})
	}
	flags = append(flags,
		&cli.IntFlag{Name: "max-parallel", Usage: "tasks at a time (0: as many as there is room for)", EnvVars: env("MAX_PARALLEL")},
		&cli.IntFlag{Name: "max-array-size", Usage: "in place of what scontrol show config says", EnvVars: env("MAX_ARRAY_SIZE")},
		&cli.BoolFlag{Name: "no-requeue", Usage: "for clusters that queue no job twice", EnvVars: env("NO_REQUEUE")},
		&cli.BoolFlag{Name: "no-report", Usage: "add no job that makes the report", EnvVars: env("NO_REPORT")},
	)
	return &cli.Command{
		Name: "slurm", Usage: "as arrays of jobs of Slurm", ArgsUsage: "PLAN|DIR", OnUsageError: usageError, Flags: flags,
		Action: p.submitSlurm,
	}
}

func (p Program) submitSlurm(c *cli.Context) error {
	s, err := planToSubmit(c)
	if err != nil {
		return err
	}
	site, err := slurmSite(c)
	if err != nil {
		return err
	}
	queued, err := slurm.Queue(c.Context, s.record.Of(cluster.Slurm))
	if err != nil && !c.Bool("dry-run") { // which works where there is no Slurm, too
		return err
	}
	if tasks := onlyTasks(queued); len(tasks) > 0 && !c.Bool("force") {
		if !c.Bool("resume") {
			return fmt.Errorf("%d tasks of %s are queued (jobs %s): wait, or submit with --resume what is not queued, or end them with scancel %s",
				len(tasks), s.dir, strings.Join(ids(tasks), ", "), strings.Join(ids(tasks), " "))
		}
		for _, q := range tasks {
			s.without(cluster.Places(q.Task, q.Job.Pack, len(s.plan.Runs)))
		}
		if len(s.left) == 0 {
			return p.nothingLeft(s, len(tasks))
		}
	}
	if len(s.left) == 0 {
		return p.nothingLeft(s, 0)
	}
	if (site.GPUs != "" || site.Gres != "") && onCPU(c, s.plan) {
		fmt.Fprintln(p.Stderr, "note: GPUs are asked for and the runs are on the CPU; --device cuda puts them on the GPUs")
	}
	return p.handToSlurm(c, s, site)
}

// slurmSite is the site file with the flags over it.
func slurmSite(c *cli.Context) (slurm.Site, error) {
	var site slurm.Site
	if path := c.String("site"); path != "" {
		var err error
		if site, err = slurm.LoadSite(path); err != nil {
			return site, err
		}
	}
	for _, o := range slurm.Options {
		if c.IsSet(o.Name) {
			o.Set(&site, c.String(o.Name))
		}
	}
	if c.IsSet("max-parallel") {
		site.MaxParallel = c.Int("max-parallel")
	}
	if c.IsSet("max-array-size") {
		site.MaxArraySize = c.Int("max-array-size")
	}
	if c.Bool("no-requeue") {
		site.Requeue = new(bool)
	}
	if err := site.Validate(); err != nil {
		return site, usage(helpName(c), "%v", err)
	}
	return site, nil
}

func (p Program) handToSlurm(c *cli.Context, s submission, site slurm.Site) error {
	dir, work, err := absolute(s.dir)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's path: %w; name it as program in the site file", err)
	}
	sub := slurm.Submission{
		Site: site, Dir: dir, Program: program, Pack: s.pack, Args: execArgs(c), Work: work, Report: !c.Bool("no-report"),
	}
	size := site.MaxArraySize
	if size == 0 {
		size, err = slurm.MaxArraySize(c.Context)
		if err != nil && c.Bool("dry-run") {
			fmt.Fprintf(p.Stderr, "note: taking %d for MaxArraySize: %v\n", slurm.DefaultMaxArraySize, err)
			size, err = slurm.DefaultMaxArraySize, nil
		}
		if err != nil {
			return err
		}
	}
	tasks := cluster.Phases(s.plan, s.left, s.pack)
	calls := sub.Calls(tasks, size)
	if c.Bool("dry-run") {
		return slurm.Print(p.Stdout, calls)
	}
	done, err := sub.Submit(c.Context, calls, &s.record)
	for _, j := range done {
		fmt.Fprintf(p.Stdout, "job %s: %s\n", j.ID, describeJob(j))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s of %d; watch with losscorr grid status %s\n", humanize.Runs(len(s.left)), len(s.plan.Runs), quoted(s.dir))
	return err
}

// describeJob is what a job does, for people.
func describeJob(j cluster.Job) string {
	switch j.What {
	case cluster.First:
		return "tasks " + j.Tasks + ", which others need"
	case cluster.Report:
		return "the report, after the last task"
	}
	return "tasks " + j.Tasks
}

func onlyTasks(queued []slurm.Queued) []slurm.Queued {
	return slices.DeleteFunc(slices.Clone(queued), func(q slurm.Queued) bool { return q.Task < 0 })
}

// ids are the jobs of tasks, each once.
func ids(queued []slurm.Queued) []string {
	var out []string
	for _, q := range queued {
		if !slices.Contains(out, q.Job.ID) {
			out = append(out, q.Job.ID)
		}
	}
	return out
}

// quoted is a path as one would type it.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t'\"$&;()*?") {
		return strconv.Quote(path)
	}
	return path
}
