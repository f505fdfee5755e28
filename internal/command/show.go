package command

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// listed is a run of a plan as JSON.
type listed struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Needs    string        `json:"needs,omitempty"`
	Added    bool          `json:"added,omitempty"`
	Finished bool          `json:"finished"`
	Config   config.Config `json:"config"`
}

// list prints the runs of a plan, and marks the finished ones.
func (p Program) list(plan store.Plan, root string, asJSON bool) error {
	runs := make([]listed, len(plan.Runs))
	for i, r := range plan.Runs {
		runs[i] = listed{ID: r.ID, Name: r.Name, Needs: r.Needs, Added: r.Implied, Config: r.Config}
		if folder, err := store.Open(root, r.ID); err == nil {
			_, err := folder.Result()
			runs[i].Finished = err == nil
		}
	}
	if asJSON {
		return p.PrintJSON(map[string]any{"schema": 1, "runs": runs})
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range runs {
		note := ""
		switch {
		case r.Finished:
			note = "finished"
		case r.Added:
			note = "added: T is estimated from it"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.ID, r.Name, note)
	}
	fmt.Fprintf(w, "%s in %s\n", humanize.Runs(len(runs)), root)
	return w.Flush()
}

// resolved is a run of a configuration as JSON.
type resolved struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Config  config.Config     `json:"config"`
	Origins map[string]string `json:"origins,omitempty"` // key -> where its value was set
}

func shown(runs []config.Resolved, origins bool) []resolved {
	out, configs := make([]resolved, len(runs)), make([]config.Config, len(runs))
	for i, r := range runs {
		configs[i] = r.Config
	}
	names := config.Names(configs)
	for i, r := range runs {
		out[i] = resolved{ID: r.Config.ID(), Name: names[i], Config: r.Config}
		if !origins {
			continue
		}
		out[i].Origins = map[string]string{}
		for key, at := range r.Origins {
			out[i].Origins[key] = at.String()
		}
	}
	return out
}

// ended is an outcome as JSON.
type ended struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	State   string        `json:"state"`
	Skipped bool          `json:"skipped,omitempty"`
	Added   bool          `json:"added,omitempty"`
	Error   string        `json:"error,omitempty"`
	Result  *store.Result `json:"result,omitempty"`
}

// show prints how the runs ended, and writes their report as finish does.
func (p Program) show(root, part string, outcomes []grid.Outcome, asJSON bool) error {
	if !asJSON {
		return finish(p.Stdout, root, part, outcomes)
	}
	if err := p.showJSON(root, outcomes); err != nil {
		return err
	}
	return finish(io.Discard, root, part, outcomes)
}

func (p Program) showJSON(root string, outcomes []grid.Outcome) error {
	runs := make([]ended, len(outcomes))
	for i, o := range outcomes {
		runs[i] = ended{ID: o.ID, Name: o.Name, State: cmp.Or(o.State, notStarted), Skipped: o.Skipped, Added: o.Implied}
		if o.Err != nil {
			runs[i].Error = o.Err.Error()
		}
		if o.Finished() {
			runs[i].Result = &outcomes[i].Result
		}
	}
	return p.PrintJSON(map[string]any{"schema": 1, "root": root, "runs": runs})
}
