package command

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
)

func (p Program) gridPlanCommand() *cli.Command {
	return &cli.Command{
		Name: "plan", Usage: "freeze the runs of a configuration file into plan.json", ArgsUsage: "FILE [key=value...]",
		Flags: append(app.Narrowing(),
			&cli.StringFlag{Name: "out", Usage: "folder of the plan and its runs", DefaultText: "runs/<name of FILE>"},
			&cli.BoolFlag{Name: "force", Usage: "replace a plan with other runs"},
			&cli.BoolFlag{Name: "dry-run", Usage: "write nothing"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		),
		Action: func(c *cli.Context) error {
			file, given, err := OneFile(c, noFile)
			if err != nil {
				return err
			}
			all, err := app.Overrides(c, given)
			if err != nil {
				return err
			}
			plan, out, err := p.freeze(c, file, all)
			if err != nil {
				return err
			}
			written := false
			if !c.Bool("dry-run") {
				if written, err = plan.Save(out, c.Bool("force")); err != nil {
					return err
				}
			}
			summary := summarize(plan, out)
			summary.Written, summary.DryRun = written, c.Bool("dry-run")
			if c.Bool("json") {
				return p.PrintJSON(summary)
			}
			return p.printSummary(summary)
		},
	}
}

// freeze returns the plan of a configuration file, and the folder for it.
func (p Program) freeze(c *cli.Context, file string, all []string) (store.PlanFile, string, error) {
	doc, err := readDocument(file, all)
	if err != nil {
		return store.PlanFile{}, "", err
	}
	configs, err := doc.Expand()
	if err != nil {
		return store.PlanFile{}, "", err
	}
	return store.Freeze(store.NewPlan(configs), losscorr.Version), app.OutFolder(c, baseName(file)), nil
}

// planSummary is the output of grid plan, as JSON.
type planSummary struct {
	Schema    int             `json:"schema"`
	Plan      string          `json:"plan"` // path
	Written   bool            `json:"written"`
	DryRun    bool            `json:"dry_run"`
	SHA256    string          `json:"sha256"`
	Total     int             `json:"total"`
	Requested int             `json:"requested"` // without implied runs
	Finished  int             `json:"finished"`  // earlier
	Seconds   float64         `json:"seconds"`   // for the unfinished runs, one at a time
	Without   int             `json:"without"`   // runs whose cost is unknown
	Runs      []store.Planned `json:"runs"`
}

// summarize estimates the cost of a plan from finished runs of the same kinds.
func summarize(file store.PlanFile, out string) planSummary {
	plan := file.Plan
	left := plan.Unfinished(out)
	cost := grid.Estimate(out, left)
	return planSummary{
		Schema: 1, Plan: filepath.Join(out, store.PlanName), SHA256: file.SHA256, Total: len(plan.Runs),
		Requested: plan.Requested(),
		Finished:  len(plan.Runs) - len(left), Seconds: cost.Time.Seconds(), Without: cost.Without, Runs: file.Runs,
	}
}

func (p Program) printSummary(s planSummary) error {
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("runs", "%d", s.Total)
	if implied := s.Total - s.Requested; implied > 0 {
		line("", "%d of them added, to estimate T for the others", implied)
	}
	line("finished", "%d", s.Finished)
	left := s.Total - s.Finished
	switch {
	case left == 0:
	case s.Without == left:
		line("time", "unknown: no run like these has finished in or beside %s", filepath.Dir(s.Plan))
	default:
		line("time", "%s, one run at a time, judging by finished runs of the same kind",
			humanize.Roughly(time.Duration(s.Seconds*float64(time.Second))))
		if s.Without > 0 {
			line("", "and %s of unknown cost", humanize.Runs(s.Without))
		}
	}
	switch {
	case s.Written:
		line("plan", "%s, sha256 %.12s", s.Plan, s.SHA256)
		line("next", "losscorr grid run %s", shell.Word(filepath.Dir(s.Plan)))
	case s.DryRun:
		line("plan", "not written")
	default:
		line("plan", "%s exists already, with the same runs", s.Plan)
	}
	return w.Flush()
}
