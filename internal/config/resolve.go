package config

import "slices"

// Resolved is one run with the place where each of its settings was written.
type Resolved struct {
	Config  Config
	Origins map[string]Position
}

// Expand returns the runs of a document, block by block: one run, or one for each
// combination of the block's grid. Equal runs are kept once.
func (d *Document) Expand() ([]Config, error) {
	resolved, err := d.Resolve()
	if err != nil {
		return nil, err
	}
	configs := make([]Config, len(resolved))
	for i, r := range resolved {
		configs[i] = r.Config
	}
	return configs, nil
}

// Resolve returns the same runs as Expand, with the origin of every setting.
func (d *Document) Resolve() ([]Resolved, error) {
	var all []combination
	for _, b := range d.blocks {
		more := b.combinations()
		if more == nil || len(all)+len(more) > maxRuns {
			return nil, NewError(problemf(b.at, "grid", "more than %d runs", maxRuns))
		}
		all = append(all, more...)
	}
	ps := problems{texts: d.texts}
	var out []Resolved
	seen := map[string]bool{}
	for _, loss := range d.own.losses() {
		for _, one := range all {
			r, ok := d.resolve(one, loss, &ps)
			if !ok {
				continue
			}
			if id := r.Config.ID(); !seen[id] {
				seen[id] = true
				out = append(out, r)
			}
		}
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, NewError(problemf(Position{Source: d.Name}, "grid", "exclude leaves no run"))
	}
	return out, nil
}

// resolve lays a combination over its preset and, for own data, over the values between them.
// It returns false if the run is excluded or wrong.
func (d *Document) resolve(one combination, loss string, ps *problems) (Resolved, bool) {
	nowhere := Position{Source: d.Name}
	given := one.values.over(d.own.values(loss, nowhere))
	preset, known := presetOf(given)
	all := given.over(preset)
	if slices.ContainsFunc(one.exclude, all.matches) {
		return Resolved{}, false
	}
	c, origins := all.config(), map[string]Position{}
	for key, e := range all {
		origins[key] = e.at
	}
	d.own.complete(&c, one.values)
	right := true
	for _, p := range c.problems() {
		at, set := origins[p.Key]
		if !set {
			at = nowhere
		}
		if !set && !known && p.Key != "dataset" && p.Key != "source.path" || d.own.deferred(c, p) {
			continue // the preset would have set it, had its name been right
		}
		p.At, right = at, false
		ps.put(p)
	}
	return Resolved{Config: c, Origins: origins}, right
}
