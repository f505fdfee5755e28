package config

import (
	"cmp"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"
)

// maxRuns bounds a grid, so that a typo gives an error instead of filling the disk.
const maxRuns = 100_000

// axis is one dimension of a grid: a key and its values. A value of a group such as noise has several settings.
type axis struct {
	key    string
	values []values
	at     Position
}

// layer is the content of one source of configuration: settings, and a grid over some of them.
type layer struct {
	body             values
	axes             []axis
	include, exclude []values
	at               Position // of the grid
}

// axis reads the values of a grid key.
func (r *reader) axis(n *yaml.Node, key string) axis {
	out := axis{key: key, at: r.at(n)}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.bad(n, "grid."+key, "must be a list of at least one value, not %s", describe(n))
		return out
	}
	for _, item := range n.Content {
		one := values{}
		r.value(target(item), key, one)
		out.values = append(out.values, one)
	}
	return out
}

// grid reads a file's grid.
func (r *reader) grid(n *yaml.Node, out *layer) {
	out.at = r.at(n)
	if n.Kind != yaml.MappingNode {
		r.bad(n, "grid", "must be a map from keys to lists of values, not %s", describe(n))
		return
	}
	for k, v := range r.entries(n) {
		switch {
		case k.Value == "include":
			out.include = r.patterns(v, "grid.include")
		case k.Value == "exclude":
			out.exclude = r.patterns(v, "grid.exclude")
			r.checkNames(out.exclude, "grid.exclude")
		case !isKey(k.Value):
			r.bad(k, "grid."+k.Value, "unknown key%s", hint(k.Value, "include", "exclude"))
		default:
			a := r.axis(v, k.Value)
			for _, b := range out.axes {
				if related(a.key, b.key) {
					r.bad(k, "grid."+a.key, "overlaps with grid.%s; keep one of them", b.key)
				}
			}
			out.axes = append(out.axes, a)
		}
	}
}

// patterns reads the maps under include or exclude, whose keys may be dotted.
func (r *reader) patterns(n *yaml.Node, what string) []values {
	if n.Kind != yaml.SequenceNode {
		r.bad(n, what, "must be a list of maps, not %s", describe(n))
		return nil
	}
	out := []values{}
	for _, item := range n.Content {
		item = target(item)
		switch {
		case item.Kind != yaml.MappingNode:
			r.bad(item, what, "each entry must be a map of settings, not %s", describe(item))
			continue
		case len(item.Content) == 0:
			r.bad(item, what, "an entry names no setting")
			continue
		}
		body := values{}
		for k, v := range r.entries(item) {
			if !isKey(k.Value) {
				r.bad(k, what, "unknown key %s%s", k.Value, hint(k.Value))
				continue
			}
			r.value(v, k.Value, body)
		}
		out = append(out, body)
	}
	return out
}

// checkNames reports unknown names in patterns.
func (r *reader) checkNames(patterns []values, what string) {
	for _, pattern := range patterns {
		for key, e := range pattern {
			if _, named := Choices[key]; named {
				if text := checkName(key, pattern.text(key)); text != "" {
					r.ps.add(e.at, what, "%s: %s", key, text)
				}
			}
		}
	}
}

// matches reports whether v agrees with every setting of the pattern.
func (v values) matches(pattern values) bool {
	for key, e := range pattern {
		if !reflect.DeepEqual(v[key].value, e.value) {
			return false
		}
	}
	return true
}

// stack puts upper over lower. A setting of upper removes the axis of lower with the same key. If it is deeper than the
// axis, it enters each of the axis's values.
func stack(lower, upper layer) layer {
	out := layer{body: upper.body.over(lower.body), include: upper.include, exclude: upper.exclude,
		at: cmp.Or(upper.at, lower.at)}
	set := upper.keys()
	for _, a := range lower.axes {
		if slices.ContainsFunc(set, func(key string) bool { return within(a.key, key) }) {
			continue
		}
		deeper := values{}
		for key, e := range upper.body {
			if within(key, a.key) {
				deeper[key] = e
			}
		}
		merged := make([]values, len(a.values))
		for i, v := range a.values {
			merged[i] = deeper.over(v)
		}
		out.axes = append(out.axes, axis{a.key, merged, a.at})
	}
	out.axes = append(out.axes, upper.axes...)
	if upper.exclude == nil {
		out.exclude = lower.exclude
	}
	if upper.include == nil {
		for _, v := range lower.include {
			out.include = append(out.include, v.without(set))
		}
	}
	return out
}

// keys lists what a layer sets: its settings and its axes.
func (l layer) keys() (keys []string) {
	for key := range l.body {
		keys = append(keys, key)
	}
	for _, a := range l.axes {
		keys = append(keys, a.key)
	}
	return keys
}

// without drops the settings at or below any of the keys.
func (v values) without(keys []string) values {
	out := values{}
	for key, e := range v {
		if !slices.ContainsFunc(keys, func(group string) bool { return within(key, group) }) {
			out[key] = e
		}
	}
	return out
}

// stackEach puts each layer of upper over each of lower.
func stackEach(lower, upper []layer) []layer {
	var out []layer
	for _, l := range lower {
		for _, u := range upper {
			out = append(out, stack(l, u))
		}
	}
	return out
}

// combination is the settings of a run without its preset, and the patterns that exclude it.
type combination struct {
	values
	exclude []values
}

// combinations returns the settings of every run of the grid: the product of the axes, then each include entry crossed
// with the axes that it does not set. It returns nil if there are too many.
func (l layer) combinations() (out []combination) {
	if len(l.axes) > 0 || len(l.include) == 0 {
		full := product(l.body, l.axes)
		if full == nil {
			return nil
		}
		for _, v := range full {
			out = append(out, combination{v, l.exclude})
		}
	}
	for _, entry := range l.include {
		rest := slices.DeleteFunc(slices.Clone(l.axes), func(a axis) bool {
			for key := range entry {
				if related(key, a.key) {
					return true
				}
			}
			return false
		})
		more := product(entry.over(l.body), rest)
		if more == nil || len(out)+len(more) > maxRuns {
			return nil
		}
		for _, v := range more {
			out = append(out, combination{values: v})
		}
	}
	return out
}

// product returns body with every combination of the axes' values, nil if there are too many. The last axis changes
// fastest. A value replaces everything at or below its key.
func product(body values, axes []axis) []values {
	out := []values{body}
	for _, a := range axes {
		if len(a.values) == 0 {
			continue // already reported
		}
		if len(out)*len(a.values) > maxRuns {
			return nil
		}
		var next []values
		for _, v := range out {
			rest := v.without([]string{a.key})
			for _, one := range a.values {
				next = append(next, one.over(rest))
			}
		}
		out = next
	}
	return out
}
