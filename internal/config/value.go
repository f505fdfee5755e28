package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// value is one node of a configuration before decoding: a map, a list or a scalar,
// each with the position where it was written.
type value struct {
	kind   valueKind
	at     Position
	keys   []string // of a map, in the order written
	fields map[string]*value
	keyAt  map[string]Position
	items  []*value
	tag    string // of a scalar: !!int, !!float, !!str, !!bool, !!null
	text   string
}

type valueKind int

const (
	mapValue valueKind = iota
	listValue
	scalarValue
)

// maxDepth bounds nesting. No setting lies deeper than four levels; an alias that
// contains itself would nest for ever.
const maxDepth = 16

// maxNodes bounds the size of a document after its aliases are expanded: nine levels
// of nine aliases each are a few lines of text and a billion values.
const maxNodes = 200_000

// Limits of the length of a value and of a key in bytes. A path has 4096 at most.
const (
	maxValue = 4096
	maxKey   = 100
)

func newMap(at Position) *value {
	return &value{kind: mapValue, at: at, fields: map[string]*value{}, keyAt: map[string]Position{}}
}

const noSettings = "the file has no settings"

// parseYAML reads one YAML document. Every position names source.
func parseYAML(source string, data []byte, ps *problems) *value {
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		at := Position{Source: source}
		text := err.Error()
		var load *yaml.LoadError
		if errors.As(err, &load) {
			text = strings.TrimPrefix(load.Message, "yaml: ")
			if load.Mark.Line > 0 {
				at.Line, at.Column = load.Mark.Line, load.Mark.Column
			}
		}
		if strings.HasPrefix(text, "no documents") {
			ps.add(at, "", "%s", noSettings)
		} else {
			ps.add(at, "", "cannot be parsed as YAML: %s", text)
		}
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		ps.add(Position{Source: source}, "", noSettings)
		return nil
	}
	r := nodeReader{source: source, ps: ps}
	return r.node(doc.Content[0], 0)
}

// nodeReader turns YAML nodes into values.
type nodeReader struct {
	source string
	ps     *problems
	count  int
}

func (r *nodeReader) at(n *yaml.Node) Position {
	return Position{Source: r.source, Line: n.Line, Column: n.Column}
}

func (r *nodeReader) node(n *yaml.Node, depth int) *value {
	at := r.at(n)
	if r.count++; r.count > maxNodes {
		r.ps.add(Position{Source: r.source}, "", "more than %d values once aliases are written out", maxNodes)
		return nil
	}
	if depth > maxDepth {
		r.ps.add(at, "", "nested more than %d levels deep", maxDepth)
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.node(n.Alias, depth+1)
	case yaml.MappingNode:
		return r.mapping(n, depth)
	case yaml.SequenceNode:
		list := &value{kind: listValue, at: at}
		for _, item := range n.Content {
			if v := r.node(item, depth+1); v != nil {
				list.items = append(list.items, v)
			}
		}
		return list
	case yaml.ScalarNode:
		if len(n.Value) > maxValue {
			r.ps.add(at, "", "a value of %d characters, %s...; %d at most", len(n.Value), strconv.Quote(n.Value[:20]), maxValue)
			return nil
		}
		return &value{kind: scalarValue, at: at, tag: n.ShortTag(), text: n.Value}
	}
	r.ps.add(at, "", "neither a map, a list nor a value")
	return nil
}

func (r *nodeReader) mapping(n *yaml.Node, depth int) *value {
	m := newMap(r.at(n))
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		at := r.at(k)
		if k.Kind != yaml.ScalarNode {
			r.ps.add(at, "", "a key has to be a word")
			continue
		}
		if len(k.Value) > maxKey {
			r.ps.add(at, "", "a key of %d characters, %s...; %d at most", len(k.Value), strconv.Quote(k.Value[:20]), maxKey)
			continue
		}
		if k.Value == "<<" {
			r.ps.add(at, "<<", "merge keys are not supported; use extends with a file of what is shared")
			continue
		}
		if first, twice := m.keyAt[k.Value]; twice {
			r.ps.add(at, k.Value, "set twice, first at line %d", first.Line)
			continue
		}
		if v := r.node(n.Content[i+1], depth+1); v != nil {
			m.set(k.Value, v, at)
		}
	}
	return m
}

func (v *value) set(key string, child *value, at Position) {
	if _, known := v.fields[key]; !known {
		v.keys = append(v.keys, key)
	}
	v.fields[key], v.keyAt[key] = child, at
}

func (v *value) remove(key string) {
	delete(v.fields, key)
	delete(v.keyAt, key)
	v.keys = slices.DeleteFunc(v.keys, func(k string) bool { return k == key })
}

// get returns the value at a dotted key, nil where the key is not set.
func (v *value) get(key string) *value {
	for part := range strings.SplitSeq(key, ".") {
		if v == nil || v.kind != mapValue {
			return nil
		}
		v = v.fields[part]
	}
	return v
}

// scalar returns the text at a dotted key, or fallback.
func (v *value) scalar(key, fallback string) string {
	if s := v.get(key); s != nil && s.kind == scalarValue {
		return s.text
	}
	return fallback
}

// wrap puts a value under a dotted key.
func wrap(key string, v *value, at Position) *value {
	parts := strings.Split(key, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		m := newMap(at)
		m.set(parts[i], v, at)
		v = m
	}
	return v
}

// merge lays upper over lower: maps merge, everything else is replaced. It changes
// neither argument.
func merge(lower, upper *value) *value {
	if upper == nil {
		return lower
	}
	if lower == nil || lower.kind != mapValue || upper.kind != mapValue {
		return upper
	}
	out := newMap(upper.at)
	for _, k := range lower.keys {
		out.set(k, lower.fields[k], lower.keyAt[k])
	}
	for _, k := range upper.keys {
		out.set(k, merge(out.fields[k], upper.fields[k]), upper.keyAt[k])
	}
	return out
}

// matches reports whether every setting of pattern holds in v too, where a list stands for any of its values.
func (v *value) matches(pattern *value) bool {
	if v != nil && v.kind == scalarValue && pattern.kind == listValue {
		return slices.ContainsFunc(pattern.items, v.matches)
	}
	if v == nil || v.kind != pattern.kind {
		return false
	}
	switch v.kind {
	case scalarValue:
		return v.text == pattern.text || sameNumber(v, pattern)
	case listValue:
		return slices.EqualFunc(v.items, pattern.items, (*value).matches)
	}
	return !slices.ContainsFunc(pattern.keys, func(k string) bool { return !v.fields[k].matches(pattern.fields[k]) })
}
