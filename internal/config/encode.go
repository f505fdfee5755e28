package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"go.yaml.in/yaml/v4"
)

// YAML returns all settings of the run as YAML. Loading that text gives the same run.
func (c Config) YAML() ([]byte, error) {
	data, err := yaml.Dump(c)
	if err != nil {
		return nil, fmt.Errorf("config: render the configuration: %w", err)
	}
	return data, nil
}

// YAML returns all settings of the run as YAML. If origin is set, each line has a
// comment that says where its value was written.
func (r Resolved) YAML(origin bool) ([]byte, error) {
	data, err := r.Config.YAML()
	if err != nil || !origin {
		return data, err
	}
	var ps problems
	tree := parseYAML("", data, &ps)
	if err := ps.err(); err != nil {
		return nil, err
	}
	return render(tree.annotate("", r.Origins))
}

// YAML returns the merged document: the files that it extends, the file and the
// overrides in one, with its grid as a grid and its blocks one after the other. If
// origin is set, each line has a comment that says where its value was written.
func (d *Document) YAML(origin bool) ([]byte, error) {
	var out []byte
	for i, b := range d.blocks {
		body := b.body
		if grid := b.gridValue(); grid != nil {
			body = merge(body, wrap("grid", grid, grid.at))
		}
		text, err := render(body.node(origin))
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, "---\n"...)
		}
		out = append(out, text...)
	}
	return out, nil
}

func render(n *yaml.Node) ([]byte, error) {
	data, err := yaml.Dump(n)
	if err != nil {
		return nil, fmt.Errorf("config: render the configuration: %w", err)
	}
	return data, nil
}

func (l layer) gridValue() *value {
	if len(l.axes)+len(l.include) == 0 {
		return nil
	}
	grid := newMap(Position{})
	for _, a := range l.axes {
		grid.set(a.key, &value{kind: listValue, items: a.values, at: a.at}, a.at)
	}
	grid.setList("exclude", l.exclude)
	grid.setList("include", l.include)
	return grid
}

func (v *value) setList(key string, entries []*value) {
	if len(entries) > 0 {
		v.set(key, &value{kind: listValue, items: entries, at: entries[0].at}, entries[0].at)
	}
}

// node turns a value back into YAML.
func (v *value) node(origin bool) *yaml.Node {
	var n *yaml.Node
	switch v.kind {
	case mapValue:
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, k := range v.keys {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: k}, v.fields[k].node(origin))
		}
		return n
	case listValue:
		n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v.items {
			child := item.node(false) // a comment would end the line that holds the list
			if child.Kind == yaml.MappingNode {
				child.Style = yaml.FlowStyle
			}
			n.Content = append(n.Content, child)
		}
		if len(v.items) == 0 || v.items[0].kind == scalarValue {
			n.Style = yaml.FlowStyle
		}
	default:
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: v.tag, Value: v.text}
	}
	if at := v.at.String(); origin && at != "" {
		n.LineComment = "# " + at
	}
	return n
}

// annotate turns a resolved run into YAML with the origin of each leaf.
func (v *value) annotate(prefix string, origins map[string]Position) *yaml.Node {
	n := v.node(false)
	if v.kind != mapValue {
		return n
	}
	for i, k := range v.keys {
		child := v.fields[k].annotate(prefix+k+".", origins)
		if at := origins[prefix+k].String(); at != "" {
			child.LineComment = "# " + at
		}
		n.Content[2*i+1] = child
	}
	return n
}

// ParseNoise parses the short form of a noise on the command line: its kind and,
// after a colon, its level (asymmetric:.6), or for kind matrix its file.
func ParseNoise(text string) (Noise, error) {
	kind, level, given := strings.Cut(strings.TrimSpace(text), ":")
	n := Noise{Kind: kind}
	if bad := checkName("noise.kind", kind); bad != "" {
		return n, fmt.Errorf("%s", bad)
	}
	if correction.Noises.Named(kind).File {
		n.File = level
		return n, nil
	}
	if given {
		f, err := strconv.ParseFloat(level, 64)
		if err != nil || !(f >= 0 && f < 1) {
			return n, fmt.Errorf("noise level %q is not a number in [0, 1)", level)
		}
		n.Level = f
	}
	return n, nil
}
