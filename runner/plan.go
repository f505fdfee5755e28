package runner

// Plan is an ordered list of runs, each once, with what they need before them.
type Plan struct {
	Runs []Planned
}

// Planned is one run of a plan.
type Planned struct {
	Config Config
	ID     string
	Needs  string // id of the cross-entropy run that an estimated loss reads T off
	Added  bool   // not asked for: another run of the plan needs it
}

// NewPlan orders runs so that what a run needs comes before it, and adds the
// cross-entropy run of an estimated loss where the plan lacks it. One
// cross-entropy run serves every run that needs it.
func NewPlan(configs []Config) Plan {
	asked := map[string]bool{}
	for _, c := range configs {
		asked[c.ID()] = true
	}
	var p Plan
	placed := map[string]bool{}
	place := func(c Config, needs string) string {
		id := c.ID()
		if !placed[id] {
			placed[id] = true
			p.Runs = append(p.Runs, Planned{Config: c, ID: id, Needs: needs, Added: !asked[id]})
		}
		return id
	}
	for _, c := range configs {
		needs := ""
		if first, ok := c.First(); ok {
			needs = place(first, "")
		}
		place(c, needs)
	}
	return p
}

// Asked counts the runs that were asked for.
func (p Plan) Asked() int {
	n := 0
	for _, r := range p.Runs {
		if !r.Added {
			n++
		}
	}
	return n
}

// Unfinished returns the configurations of the runs that have no result under
// root.
func (p Plan) Unfinished(root string) []Config {
	var left []Config
	for _, r := range p.Runs {
		if folder, err := Open(root, r.ID); err == nil {
			if _, err := folder.Result(); err == nil {
				continue
			}
		}
		left = append(left, r.Config)
	}
	return left
}
