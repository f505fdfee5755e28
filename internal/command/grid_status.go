package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

func (p Program) gridStatusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show the progress of a plan's runs, wherever they run", ArgsUsage: "PLAN | DIR",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "failed", Usage: "show only failed runs, with the end of their logs"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON, with a record for every run"},
		},
		Action: func(c *cli.Context) error {
			if err := app.Arguments(c, 1, 1, "name a PLAN, by its file or its folder, or a folder of runs"); err != nil {
				return err
			}
			file, err := loadPlan(c.Args().First())
			if err != nil {
				return err
			}
			s := newState(planFolder(c.Args().First()), file.Plan)
			switch {
			case c.Bool("json"):
				err = p.PrintJSON(s)
			case c.Bool("failed"):
				err = s.printFailed(p.Stdout)
			default:
				if err = s.print(p.Stdout); err == nil {
					err = cluster.WriteStatus(c.Context, p.Stdout, s.Root, schedulers())
				}
			}
			if err != nil {
				return err
			}
			return s.err()
		},
	}
}

// gridState is the state of a plan, read from the folders of its runs.
type gridState struct {
	Schema  int            `json:"schema"`
	Root    string         `json:"root"`
	Total   int            `json:"total"`
	Counts  map[string]int `json:"counts"` // by state
	Hours   float64        `json:"device_hours"`
	Left    *float64       `json:"seconds_left"` // estimated from finished runs of the same kind; null if there are none
	Without int            `json:"without"`      // unfinished runs of unknown cost
	Runs    []runState     `json:"runs"`
	blocked int            // pending runs that need a failed one
}

type runState struct {
	Index   int      `json:"index"`
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	State   string   `json:"state"`
	Owner   string   `json:"owner,omitempty"`
	Ago     *float64 `json:"seconds_since_sign,omitempty"`
	Epoch   int      `json:"epoch,omitempty"`
	Epochs  int      `json:"epochs"`
	Seconds float64  `json:"seconds,omitempty"`
	Error   string   `json:"error,omitempty"`
	Log     []string `json:"log,omitempty"`
}

// states is the order of states in the output.
var states = []string{
	store.Done, store.Diverged, store.Running, store.Silent, store.Killed, store.Stopped, store.Failed, store.Pending,
}

func newState(root string, plan store.Plan) gridState {
	s := gridState{Schema: 1, Root: root, Total: len(plan.Runs), Counts: map[string]int{}}
	seconds, left := 0.0, []config.Config{}
	stateOf := map[string]string{}
	survey := store.Survey(root, plan)
	for _, o := range survey {
		stateOf[o.ID] = o.State
	}
	for i, o := range survey {
		s.Counts[o.State]++
		if o.State == store.Pending && stateOf[o.Needs] == store.Failed {
			s.blocked++
		}
		seconds += o.Seconds()
		run := runState{
			Index: i, ID: o.ID, Name: o.Name, State: o.State, Owner: o.Owner, Epoch: o.Epoch(), Epochs: o.Config.Epochs,
			Seconds: o.Seconds(), Error: o.Problem,
		}
		if o.State == store.Failed {
			run.Log = o.Status.Log
		}
		if o.Owner != "" {
			ago := o.Ago.Seconds()
			run.Ago = &ago
		}
		if !o.Finished() {
			left = append(left, o.Config)
		}
		s.Runs = append(s.Runs, run)
	}
	s.Hours = seconds / 3600
	cost := grid.Estimate(root, left)
	s.Without = cost.Without
	if cost.Without == 0 {
		remaining := cost.Time.Seconds()
		for _, r := range s.Runs {
			// Subtract the finished part of each run.
			if r.State != store.Done && r.State != store.Diverged {
				remaining -= min(r.Seconds, cost.Time.Seconds()/float64(len(left)))
			}
		}
		remaining = max(0, remaining) / float64(max(1, s.Counts[store.Running]))
		s.Left = &remaining
	}
	return s
}

// err returns a *app.GridError if runs have failed and no other run can still
// finish, so there is nothing left to wait for.
func (s gridState) err() error {
	over := s.Counts[store.Done] + s.Counts[store.Diverged] + s.Counts[store.Failed] + s.blocked
	if s.Counts[store.Failed] == 0 || over < s.Total {
		return nil
	}
	return &app.GridError{Failed: s.Counts[store.Failed], Total: s.Total, Root: s.Root}
}

func (s gridState) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("runs", "%d in %s", s.Total, s.Root)
	for _, state := range states {
		if n := s.Counts[state]; n > 0 {
			line(state, "%d", n)
		}
	}
	line("used", "%.1f device-hours", s.Hours)
	switch unfinished := s.Total - s.Counts[store.Done] - s.Counts[store.Diverged]; {
	case unfinished == 0:
	case s.Left == nil:
		line("left", "unknown: no run of the same kind has finished")
	default:
		line("left", "%s, %d at a time", humanize.Roughly(time.Duration(*s.Left*float64(time.Second))),
			max(1, s.Counts[store.Running]))
	}
	for _, r := range s.Runs {
		if r.Ago != nil {
			line("", "%s %s  %s, epoch %d/%d, %s, last sign of life %s ago", r.ID, r.Name, r.State, r.Epoch, r.Epochs,
				humanize.Visible(r.Owner),
				(time.Duration(*r.Ago * float64(time.Second))).Round(time.Second))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range s.Runs {
		if r.Error == "" {
			continue
		}
		if _, err := fmt.Fprintf(out, "\n%s %s  %s: %s\n", r.ID, r.Name, r.State, indented(r.Error)); err != nil {
			return err
		}
	}
	return nil
}

func (s gridState) printFailed(out io.Writer) error {
	for _, r := range s.Runs {
		if r.State != store.Failed {
			continue
		}
		if _, err := fmt.Fprintf(out, "%s %s  index %d\n  %s\n    %s\n", r.ID, r.Name, r.Index, indented(r.Error),
			strings.Join(r.Log, "\n    ")); err != nil {
			return err
		}
	}
	return nil
}

// indented sets a message from a file apart from our own lines.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }
