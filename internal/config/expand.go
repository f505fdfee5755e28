package config

import (
	"reflect"
	"slices"
	"strings"
)

// maxRuns bounds a grid, so that a typing error is reported and does not fill the
// disk.
const maxRuns = 100_000

// axis is one dimension of a grid: a dotted key and its values.
type axis struct {
	key    string
	values []*value
	at     Position
}

// layer is the content of one source of configuration: settings and a grid over some
// of them.
type layer struct {
	body             *value
	axes             []axis
	include, exclude []*value
}

func newAxis(key string, v *value, at Position, ps *problems) axis {
	if v.kind != listValue || len(v.items) == 0 {
		ps.add(v.at, "grid."+key, "has to be a list of at least one value, not %s", describe(v))
	}
	return axis{key: key, values: v.items, at: at}
}

// splitGrid takes the grid out of a document.
func splitGrid(tree *value, ps *problems) layer {
	out := layer{body: tree}
	grid := tree.fields["grid"]
	tree.remove("grid")
	if grid == nil {
		return out
	}
	if grid.kind != mapValue {
		ps.add(grid.at, "grid", "has to be a map from keys to lists of values, not %s", describe(grid))
		return out
	}
	for _, key := range grid.keys {
		v, at := grid.fields[key], grid.keyAt[key]
		switch {
		case key == "include":
			out.include = patterns(key, v, ps)
		case key == "exclude":
			out.exclude = patterns(key, v, ps)
		case keyType(key) == nil:
			hint := Suggest(key, append(Keys(), "noise", "include", "exclude"))
			if strings.Contains(key, ".") || hint == "" {
				hint = dottedHint(key)
			}
			ps.add(at, "grid."+key, "unknown key%s", hint)
		default:
			out.axes = append(out.axes, newAxis(key, v, at, ps))
		}
	}
	for i, a := range out.axes {
		for _, b := range out.axes[:i] {
			if related(a.key, b.key) {
				ps.add(a.at, "grid."+a.key, "overlaps with grid.%s; keep one of them", b.key)
			}
		}
	}
	return out
}

// patterns reads the maps under include or exclude, whose keys may be dotted.
func patterns(what string, v *value, ps *problems) []*value {
	if v.kind != listValue {
		ps.add(v.at, "grid."+what, "has to be a list of maps, not %s", describe(v))
		return nil
	}
	out := []*value{}
	for _, item := range v.items {
		if item.kind != mapValue {
			ps.add(item.at, "grid."+what, "each entry has to be a map of settings, not %s", describe(item))
			continue
		}
		if len(item.keys) == 0 {
			ps.add(item.at, "grid."+what, "an entry names no setting")
			continue
		}
		m := newMap(item.at)
		for _, k := range item.keys {
			if keyType(k) == nil {
				ps.add(item.keyAt[k], "grid."+what, "unknown key %s%s", k, Suggest(k, append(Keys(), "noise")))
				continue
			}
			m = merge(m, wrap(k, item.fields[k], item.keyAt[k]))
		}
		if what == "exclude" {
			checkPattern(m, "", ps)
		}
		out = append(out, m)
	}
	return out
}

// checkPattern reports the values of an entry of exclude that no run can have.
func checkPattern(v *value, prefix string, ps *problems) {
	for _, k := range v.keys {
		f, key := v.fields[k], prefix+k
		if f.kind == mapValue {
			checkPattern(f, key+".", ps)
			continue
		}
		t := keyType(key)
		values := []*value{f}
		if f.kind == listValue && t.Kind() != reflect.Slice { // one of them
			values = f.items
		}
		for _, one := range values {
			d := decoder{ps: ps, origins: map[string]Position{}}
			if t.Kind() == reflect.Struct {
				d.structure(one, key+".", reflect.New(t).Elem()) // says that it is no map
				continue
			}
			d.leaf(one, key, reflect.New(t).Elem())
			if _, named := Choices[key]; !named || len(d.bad) > 0 || key == "model" && Exported(one.text) {
				continue
			}
			if text := checkName(key, one.text); text != "" {
				ps.add(one.at, "grid.exclude", "%s: %s", key, text)
			}
		}
	}
}

// stack lays upper over lower. A setting of upper removes an axis of lower for the
// same key, or is merged into each of the axis's values if it lies deeper.
func stack(lower, upper layer) layer {
	if lower.body == nil {
		return upper
	}
	if upper.body == nil {
		return lower
	}
	out := layer{body: merge(lower.body, upper.body), include: lower.include, exclude: lower.exclude}
	set := leaves(upper.body, "")
	for _, a := range upper.axes {
		set = append(set, a.key)
	}
	for _, a := range lower.axes {
		if !slices.ContainsFunc(set, func(k string) bool { return k == a.key || strings.HasPrefix(a.key, k+".") }) {
			out.axes = append(out.axes, a.under(upper.body))
		}
	}
	out.axes = append(out.axes, upper.axes...)
	if upper.include != nil {
		out.include = upper.include
	}
	if upper.exclude != nil {
		out.exclude = upper.exclude
	}
	out.include = slices.Clone(out.include)
	if upper.include == nil {
		for i, entry := range out.include {
			out.include[i] = entry.without("", set)
		}
	}
	return out
}

// stackEach lays each of upper over each of lower.
func stackEach(lower, upper []layer) []layer {
	var out []layer
	for _, l := range lower {
		for _, u := range upper {
			out = append(out, stack(l, u))
		}
	}
	return out
}

// under merges the settings of body that lie below the axis into the axis's values.
func (a axis) under(body *value) axis {
	deeper := body.get(a.key)
	if deeper == nil || deeper.kind != mapValue {
		return a
	}
	values := make([]*value, len(a.values))
	for i, v := range a.values {
		values[i] = merge(v, deeper)
	}
	return axis{key: a.key, values: values, at: a.at}
}

// without drops the settings at or below any of the keys. prefix precedes those of v.
func (v *value) without(prefix string, keys []string) *value {
	if v.kind != mapValue {
		return v
	}
	out := newMap(v.at)
	for _, k := range v.keys {
		if !slices.Contains(keys, prefix+k) {
			out.set(k, v.fields[k].without(prefix+k+".", keys), v.keyAt[k])
		}
	}
	return out
}

// leaves lists the dotted keys of everything in a tree that is not a map.
func leaves(v *value, prefix string) []string {
	var keys []string
	for _, k := range v.keys {
		if f := v.fields[k]; f.kind == mapValue {
			keys = append(keys, leaves(f, prefix+k+".")...)
			continue
		}
		keys = append(keys, prefix+k)
	}
	return keys
}

// related reports whether one of two dotted keys contains the other.
func related(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// combination is the settings of a run, without those of its preset, and the patterns
// that drop it.
type combination struct {
	tree    *value
	exclude []*value
}

// drops reports whether a pattern matches the settings of the combination in a tree.
func (c combination) drops(tree *value) bool { return slices.ContainsFunc(c.exclude, tree.matches) }

// combinations returns the settings of every run of the grid: the product of
// the axes without what exclude matches, then each include entry crossed with
// the axes that it does not touch.
func (l layer) combinations() ([]combination, error) {
	var out []combination
	full, err := product(l.body, l.axes)
	if err != nil {
		return nil, err
	}
	if len(l.axes) > 0 || len(l.include) == 0 {
		for _, tree := range full {
			if c := (combination{tree, l.exclude}); !c.drops(tree) {
				out = append(out, c)
			}
		}
	}
	for _, entry := range l.include {
		touched := leaves(entry, "")
		var rest []axis
		for _, a := range l.axes {
			if !slices.ContainsFunc(touched, func(k string) bool { return related(k, a.key) }) {
				rest = append(rest, a)
			}
		}
		more, err := product(merge(l.body, entry), rest)
		if err != nil {
			return nil, err
		}
		if len(out)+len(more) > maxRuns {
			return nil, tooManyRuns(entry.at)
		}
		for _, tree := range more {
			out = append(out, combination{tree: tree})
		}
	}
	return out, nil
}

func tooManyRuns(at Position) error { return oneProblem(at, "grid", "more than %d runs", maxRuns) }

// product returns body with every combination of the axes' values; the last
// axis changes fastest.
func product(body *value, axes []axis) ([]*value, error) {
	out := []*value{body}
	for _, a := range axes {
		if len(a.values) == 0 {
			continue // reported by newAxis
		}
		if len(out)*len(a.values) > maxRuns {
			return nil, tooManyRuns(a.at)
		}
		var next []*value
		for _, c := range out {
			for _, v := range a.values {
				next = append(next, c.replace(a.key, v, a.at))
			}
		}
		out = next
	}
	return out, nil
}

// replace returns a copy of a tree in which a dotted key holds v and nothing of
// what it held before.
func (v *value) replace(key string, child *value, at Position) *value {
	out := newMap(v.at)
	if v.kind == mapValue {
		for _, k := range v.keys {
			out.set(k, v.fields[k], v.keyAt[k])
		}
	}
	head, rest, deeper := strings.Cut(key, ".")
	if deeper {
		inner := out.fields[head]
		if inner == nil {
			inner = newMap(at)
		}
		child = inner.replace(rest, child, at)
	}
	out.set(head, child, at)
	return out
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
		more, err := b.combinations()
		if err != nil {
			return nil, err
		}
		if len(all)+len(more) > maxRuns {
			return nil, tooManyRuns(Position{Source: d.Name})
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
		return nil, oneProblem(Position{Source: d.Name}, "grid", "exclude leaves no run")
	}
	return out, nil
}

// resolve completes a combination with its preset and, of own data, with the values that lie between.
// It returns false where that is wrong, or where a setting of the preset makes exclude match.
func (d *Document) resolve(one combination, loss string, ps *problems) (Resolved, bool) {
	before, tree := len(ps.list), one.tree
	c := Config{Source: d.own.source()}
	if source := tree.get("source"); source != nil { // its problems are found again below
		early := decoder{ps: &problems{}, origins: map[string]Position{}, dirs: d.dirs}
		early.structure(source, "source.", reflect.ValueOf(&c.Source).Elem())
	}
	base, known := presetLayer(tree, d.own.names(), c.Source, d.Name, ps)
	if one.drops(merge(base, tree)) {
		return Resolved{}, false
	}
	dec := decoder{ps: ps, origins: map[string]Position{}, dirs: d.dirs}
	dec.structure(base, "", reflectValue(&c))
	for _, key := range d.own.over(&c, loss) {
		dec.origins[key] = Position{Source: d.Name}
	}
	dec.structure(tree, "", reflectValue(&c))
	d.own.complete(&c, tree)
	for _, p := range c.problems() {
		if _, set := dec.origins[p.Key]; !set && !known || d.own.later(c, p) {
			continue // the preset would have set it, had its name been right
		}
		if slices.ContainsFunc(dec.bad, func(k string) bool { return related(k, p.Key) }) {
			continue
		}
		p.At = dec.origins[p.Key]
		if p.At == (Position{}) {
			p.At = Position{Source: d.Name}
		}
		ps.put(p)
	}
	return Resolved{Config: c, Origins: dec.origins}, len(ps.list) == before
}
