package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// readDocument reads a configuration file. If one of the paper's experiments is not
// on disk, it reads the copy in the program.
func readDocument(file string, overrides []string) (*config.Document, error) {
	doc, err := config.Read(file, overrides...)
	var missing *config.FileError
	inside, ours := strings.CutPrefix(filepath.ToSlash(file), "experiments/")
	if !ours || !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
		return doc, err
	}
	if _, none := fs.Stat(losscorr.Experiments(), inside); none != nil {
		return doc, err
	}
	return config.ReadFS(losscorr.Experiments(), inside, overrides...)
}

const noFile = "a configuration FILE is missing"

func baseName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// OneFile separates FILE from the overrides. missing is the error without a FILE.
func OneFile(c *cli.Context, missing string) (string, []string, error) {
	names, given := app.Split(c.Args().Slice())
	switch len(names) {
	case 0:
		return "", nil, app.Misuse(c, "%s", missing)
	case 1:
		return names[0], given, nil
	}
	return "", nil, app.Misuse(c, "unexpected argument %q; overrides have the form key=value", names[1])
}

// TrainFile does the runs of a configuration file with overrides.
func (p Program) TrainFile(c *cli.Context, file string, given []string) error {
	all, err := app.Overrides(c, given)
	if err != nil {
		return err
	}
	doc, err := readDocument(file, all)
	if err != nil {
		return err
	}
	return p.Train(c, doc, baseName(file), "")
}

// Train does the runs of a document and writes their report as finish does, or lists them for --dry-run.
func (p Program) Train(c *cli.Context, doc *config.Document, name, part string) error {
	configs, err := doc.Expand()
	if err != nil {
		return err
	}
	return p.TrainAll(c, store.NewPlan(configs), app.OutFolder(c, name), part)
}

// TrainAll does the runs of a plan as Train does.
func (p Program) TrainAll(c *cli.Context, plan store.Plan, out, part string) error {
	if c.Bool("dry-run") {
		return p.list(plan, out, c.Bool("json"))
	}
	if err := replaceable(filepath.Join(out, part)); err != nil {
		return app.Misuse(c, "%v", err)
	}
	outcomes, err := p.Work(c, plan, out, Sharing{})
	if shown := p.show(out, part, outcomes, c.Bool("json")); err == nil {
		err = shown
	}
	return err
}

// Sharing is what Work does runs for.
type Sharing struct {
	Plan  bool // runs of a plan: wait for other processes and print less; grid plan has printed the time
	Stage int  // stage of an audit; 0: none
}

// Work does the unfinished runs of a plan in the folder out, by the flags of c.
// It is the common part of train, grid run and grid exec.
func (p Program) Work(c *cli.Context, plan store.Plan, out string, share Sharing) ([]grid.Outcome, error) {
	if err := app.CheckWork(c); err != nil {
		return nil, err
	}
	r := grid.Runner{
		Root: out, Workers: workers(c.Int("workers"), plan), Execute: p.Pipeline.Execute,
		CheckpointEvery: c.Duration("checkpoint-every"), LeaseTime: c.Duration("lease"), Resume: c.String("resume"),
		Wait: share.Plan, Brief: share.Plan,
	}
	if r.CheckpointEvery == 0 {
		r.CheckpointEvery = -1
	}
	r.Progress = p.Progress(c)
	var libtorch map[string]string
	for _, device := range devicesOf(plan) {
		facts, gpus, err := p.Open(device)
		if err != nil {
			return nil, err
		}
		libtorch, r.Devices = facts, append(r.Devices, gpus...)
	}
	left := plan.Unfinished(out)
	if r.Resume == grid.ResumeForce || r.Resume == grid.ResumeChanged {
		left = plan.Configs()
	}
	opt := dataset.Options{Offline: c.Bool("offline"), MaxBad: c.Int("max-bad"), Progress: p.Reading(c)}
	defer app.Stoppable(c.Context, app.RunsStop)()
	if err := p.Pipeline.Preflight(c.Context, left, opt); err != nil {
		return nil, err
	}
	if !c.Bool("quiet") && !share.Plan {
		if err := p.forecast(r.Progress, left, max(r.Workers, len(r.Devices)), share.Stage); err != nil {
			return nil, err
		}
	}
	r.Environment = store.NewEnvironment(losscorr.Version, libtorch)
	return r.Run(c.Context, plan)
}

// forecast prints how long the remaining runs of a plan, or of a stage of an audit, will take, if it is long.
func (p Program) forecast(show grid.Progress, left []config.Config, workers, stage int) error {
	if len(left) == 0 {
		return nil
	}
	total, err := p.Pipeline.Forecast(left)
	if err != nil {
		return forecastError(err)
	}
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	workers = min(workers, len(left))
	total /= time.Duration(workers)
	switch {
	case stage == 0 && total >= 10*time.Minute:
		show.Note(fmt.Sprintf("this takes about %s, judging by the first steps (%s, %d at a time)", humanize.Roughly(total),
			humanize.Runs(len(left)), workers))
	case stage > 0:
		show.Note(fmt.Sprintf("about %s for stage %d, judging by the first steps (%s, %d at a time)", briefly(total), stage,
			humanize.Count(len(left), "network"), workers))
	}
	return nil
}

// forecastError turns an error of a forecast into one for the runs. Lack of memory is ignored: that run reports it,
// and others may succeed. A lost device ends all of them.
func forecastError(err error) error {
	var failed *torch.Error
	switch {
	case errors.As(err, &failed) && failed.Kind == torch.OutOfMemory:
		return nil
	case errors.As(err, &failed) && failed.Kind == torch.DeviceLost:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// briefly formats a duration that may be less than a minute.
func briefly(d time.Duration) string {
	if d >= time.Minute {
		return humanize.Roughly(d)
	}
	return fmt.Sprintf("%d s", max(1, int(d.Seconds()+.5)))
}

// devicesOf lists the distinct devices of a plan's runs.
func devicesOf(plan store.Plan) []string {
	var out []string
	for _, r := range plan.Runs {
		if !slices.Contains(out, r.Config.Device) {
			out = append(out, r.Config.Device)
		}
	}
	return out
}

// workers returns the number of runs at a time from the flag, else from the plan; 0 lets the runner choose.
func workers(flag int, plan store.Plan) int {
	first := plan.Runs[0].Config
	if flag != 0 {
		return flag
	}
	return first.Workers
}
