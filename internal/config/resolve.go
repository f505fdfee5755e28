package config

import (
	"slices"
	"strings"
)

// Resolved is one run, with the place where each of its settings was written.
type Resolved struct {
	Config  Config
	Origins map[string]Position

	document string // its name, for problems of settings that were not written
	preset   bool   // the data set, model and preset have settings
}

// Given reports whether an override sets a key.
func (r *Resolved) Given(key string) bool {
	return strings.HasPrefix(r.Origins[key].Source, overridePrefix)
}

// Configs returns the runs' configurations.
func Configs(runs []Resolved) []Config {
	configs := make([]Config, len(runs))
	for i, r := range runs {
		configs[i] = r.Config
	}
	return configs
}

// Expand returns the runs of a document, block by block: one run, or one for each combination of the block's grid. Of
// equal runs it keeps one.
func (d *Document) Expand() ([]Config, error) {
	runs, err := d.Resolve()
	return Configs(runs), err
}

// Resolve is Expand with the origin of every setting.
func (d *Document) Resolve() ([]Resolved, error) {
	var all []combination
	for _, b := range d.blocks {
		more := b.combinations()
		if more == nil || len(all)+len(more) > maxRuns {
			return nil, NewError(problemf(b.at, "grid", "more than %d runs", maxRuns))
		}
		all = append(all, more...)
	}
	var runs []Resolved
	for _, one := range all {
		if r, ok := d.resolve(one); ok {
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return nil, NewError(problemf(Position{Source: d.Name}, "grid", "exclude removes all runs"))
	}
	return Checked(runs, d.own.Later...)
}

// resolve puts a combination over its preset. It returns false if the run is excluded.
func (d *Document) resolve(one combination) (Resolved, bool) {
	preset, known := presetOf(one.values)
	all := one.values.over(preset)
	if slices.ContainsFunc(one.exclude, all.matches) {
		return Resolved{}, false
	}
	r := Resolved{Config: all.config(), Origins: map[string]Position{}, document: d.Name, preset: known}
	for key, e := range all {
		r.Origins[key] = e.at
	}
	if d.own.Fill != nil {
		d.own.Fill(&r)
	}
	return r, true
}

// Checked returns the runs, equal ones once, or an error with all their problems. The settings in later may still be
// empty.
func Checked(runs []Resolved, later ...string) (out []Resolved, err error) {
	var ps problems
	seen := map[string]bool{}
	for _, r := range runs {
		if !r.check(&ps, later) {
			continue
		}
		if id := r.Config.ID(); !seen[id] {
			seen[id] = true
			out = append(out, r)
		}
	}
	return out, ps.err()
}

// check adds the run's problems, and reports whether there were none.
func (r *Resolved) check(ps *problems, later []string) bool {
	right := true
	for _, p := range r.Config.problems() {
		at, set := r.Origins[p.Key]
		switch {
		case !set && !r.preset && p.Key != "dataset" && p.Key != "source.path":
			continue // the preset may set it once the names are right
		case slices.Contains(later, p.Key) && byKey[p.Key].Of(&r.Config).IsZero():
			continue
		case !set:
			at = Position{Source: r.document}
		}
		p.At, right = at, false
		ps.put(p)
	}
	return right
}
