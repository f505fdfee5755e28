package store

import (
	"slices"

	"github.com/losscorr/losscorr/internal/config"
)

// Plan is an ordered list of distinct runs. A run that another needs comes before it.
type Plan struct {
	Runs []Planned `json:"runs"`
}

// Planned is one run of a plan.
type Planned struct {
	Index int    `json:"index"` // in a frozen plan, from 0
	ID    string `json:"id"`
	Name  string `json:"name"` // config.Names of the plan's runs
	// Needs is the ID of the cross-entropy run that estimates T.
	Needs   string        `json:"needs,omitempty"`
	Implied bool          `json:"implied,omitempty"` // added because another run needs it
	Config  config.Config `json:"config"`
}

// NewPlan returns the plan of the given runs. It adds the cross-entropy runs that -estimated losses need, one for all
// runs that share it, and puts each before the runs that need it.
func NewPlan(configs []config.Config) Plan {
	asked := map[string]bool{}
	for _, c := range configs {
		asked[c.ID()] = true
	}
	var p Plan
	placed := map[string]bool{}
	place := func(c config.Config, needs string) string {
		id := c.ID()
		if !placed[id] {
			placed[id] = true
			p.Runs = append(p.Runs, Planned{Config: c, ID: id, Needs: needs, Implied: !asked[id]})
		}
		return id
	}
	for _, c := range configs {
		needs := ""
		if first, ok := c.Prerequisite(); ok {
			needs = place(first, "")
		}
		place(c, needs)
	}
	for i, name := range config.Names(p.Configs()) {
		p.Runs[i].Name = name
	}
	return p
}

// Configs returns the configurations of the runs.
func (p Plan) Configs() []config.Config {
	out := make([]config.Config, len(p.Runs))
	for i, r := range p.Runs {
		out[i] = r.Config
	}
	return out
}

// NeededFirst puts the runs that others need first, so an array of jobs, which starts at the head of the plan, rarely
// waits.
func (p Plan) NeededFirst() Plan {
	needed := map[string]bool{}
	for _, r := range p.Runs {
		needed[r.Needs] = true
	}
	isNeeded := func(r Planned) bool { return needed[r.ID] }
	others := slices.DeleteFunc(slices.Clone(p.Runs), isNeeded)
	first := slices.DeleteFunc(slices.Clone(p.Runs), func(r Planned) bool { return !isNeeded(r) })
	return Plan{Runs: append(first, others...)}
}

// Part returns the plan of the runs at the given places, plus the runs they need as implied ones.
func (p Plan) Part(places ...int) Plan {
	index := map[string]int{}
	for i, r := range p.Runs {
		index[r.ID] = i
	}
	var part Plan
	placed := map[int]bool{}
	for _, i := range places {
		if first, ok := index[p.Runs[i].Needs]; ok && !placed[first] && !slices.Contains(places, first) {
			placed[first] = true
			run := p.Runs[first]
			run.Implied = true
			part.Runs = append(part.Runs, run)
		}
	}
	for _, i := range places {
		run := p.Runs[i]
		run.Implied = false
		part.Runs = append(part.Runs, run)
	}
	return part
}

// Requested returns the number of runs that are not implied.
func (p Plan) Requested() int {
	n := 0
	for _, r := range p.Runs {
		if !r.Implied {
			n++
		}
	}
	return n
}

// Unfinished returns the configurations of the runs that have no result under root.
func (p Plan) Unfinished(root string) []config.Config {
	var left []config.Config
	for _, r := range p.Runs {
		if _, err := At(root, r.ID).Result(); err != nil {
			left = append(left, r.Config)
		}
	}
	return left
}
