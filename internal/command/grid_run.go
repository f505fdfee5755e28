package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
)

func (p Program) gridRunCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "execute the runs of a plan here; a configuration FILE is planned first",
		ArgsUsage: "PLAN | DIR | FILE [key=value...]",
		Flags: append(slices.Concat(placeFlags(), app.Choosing()), app.JobsFlag(0),
			&cli.StringFlag{Name: "out", Usage: "folder of the plan and its runs", DefaultText: "runs/<name of FILE>"},
			&cli.BoolFlag{Name: "json", Usage: "print how each run ended as JSON"},
		),
		Action: func(c *cli.Context) error {
			name, given, err := OneFile(c, noFile)
			if err != nil {
				return err
			}
			file, out, err := p.planned(c, name, given)
			if err != nil {
				return err
			}
			plan, err := placed(c, file.Plan)
			if err != nil {
				return err
			}
			outcomes, err := p.Work(c, plan, out, true)
			if outcomes == nil {
				return err
			}
			err = errors.Join(err, p.sum(c, out, outcomes))
			if c.Bool("json") {
				return errors.Join(err, refresh(io.Discard, out, file.Plan))
			}
			return errors.Join(err, refresh(p.Stdout, out, file.Plan))
		},
	}
}

// planned returns the plan for an argument: a plan's file or folder, or a
// configuration file, which it plans.
func (p Program) planned(c *cli.Context, name string, given []string) (store.PlanFile, string, error) {
	info, err := os.Stat(name)
	if isDir := err == nil && info.IsDir(); !isDir && !strings.EqualFold(filepath.Ext(name), ".json") {
		all, err := app.Overrides(c, given)
		if err != nil {
			return store.PlanFile{}, "", err
		}
		file, out, err := p.freeze(c, name, all)
		if err == nil {
			_, err = file.Save(out, false)
		}
		return file, out, err
	}
	for _, f := range app.Choosing() {
		if flag := f.Names()[0]; c.IsSet(flag) {
			return store.PlanFile{}, "", app.Misuse(c, "--%s does not apply to a plan; give it to losscorr grid plan FILE", flag)
		}
	}
	switch {
	case len(given) > 0:
		return store.PlanFile{}, "",
			app.Misuse(c, "overrides such as %s do not apply to a plan; give them to losscorr grid plan FILE", given[0])
	case c.String("out") != "":
		return store.PlanFile{}, "", app.Misuse(c, "--out does not apply to a plan, whose runs lie beside it; leave it out")
	}
	file, err := loadPlan(name)
	return file, planFolder(name), err
}

// sum prints how many runs of a plan ended in each state.
func (p Program) sum(c *cli.Context, out string, outcomes []grid.Outcome) error {
	if c.Bool("json") {
		return p.showJSON(out, outcomes)
	}
	counts := map[string]int{}
	for _, o := range outcomes {
		counts[cmp.Or(o.State, notStarted)]++
	}
	line := ""
	for _, state := range []string{store.Done, store.Diverged, store.Failed, store.Stopped, notStarted} {
		if n := counts[state]; n > 0 {
			line += fmt.Sprintf(", %d %s", n, state)
		}
	}
	if counts[store.Done]+counts[store.Diverged] > 0 {
		line += "\ntables: losscorr report " + shell.Word(out)
	}
	_, err := fmt.Fprintf(p.Stdout, "%s: %s%s\n", out, humanize.Runs(len(outcomes)), line)
	return err
}

// notStarted is the state of a run that was not reached.
const notStarted = "not started"
