package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"go.yaml.in/yaml/v4"
)

// YAML returns all settings of the run as YAML. Loading that text gives the same run.
func (c Config) YAML() ([]byte, error) { return Resolved{Config: c}.YAML(false) }

// YAML returns all settings of the run as YAML. If origin is set, a comment on each line names where the value comes
// from.
func (r Resolved) YAML(origin bool) ([]byte, error) {
	all := values{}
	for _, s := range Settings {
		if v := s.Of(&r.Config); !v.IsZero() || presets().sets[s.Key] {
			all[s.Key] = entry{v.Interface(), r.Origins[s.Key]}
		}
	}
	return render(all.node(origin))
}

// YAML returns the document as one file: its blocks one after the other, each with its grid. If origin is set, a
// comment on each line names where the value comes from.
func (d *Document) YAML(origin bool) ([]byte, error) {
	var out []byte
	for i, b := range d.blocks {
		root := b.body.node(origin)
		if len(b.axes)+len(b.include) > 0 {
			add(root, "grid", b.grid(origin), "")
		}
		text, err := render(root)
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

// node returns settings as YAML in the order of Settings.
func (v values) node(origin bool) *yaml.Node {
	root := &yaml.Node{Kind: yaml.MappingNode}
	groups := map[string]*yaml.Node{}
	for _, s := range Settings {
		e, ok := v[s.Key]
		if !ok {
			continue
		}
		parent, name := root, s.Key
		if group, last, deeper := strings.Cut(s.Key, "."); deeper {
			if parent, name = groups[group], last; parent == nil {
				parent = &yaml.Node{Kind: yaml.MappingNode}
				groups[group] = parent
				add(root, group, parent, "")
			}
		}
		n := &yaml.Node{}
		if err := n.Encode(e.value); err != nil {
			panic(err) // impossible: words, numbers and lists can be encoded
		}
		if n.Kind == yaml.SequenceNode {
			n.Style = yaml.FlowStyle
		}
		add(parent, name, n, e.at.comment(origin))
	}
	return root
}

// comment returns the position as a YAML comment, or "" if it is unknown or not wanted.
func (p Position) comment(wanted bool) string {
	if text := p.String(); wanted && text != "" {
		return "# " + text
	}
	return ""
}

// grid returns the grid of a layer as YAML.
func (l layer) grid(origin bool) *yaml.Node {
	grid := &yaml.Node{Kind: yaml.MappingNode}
	for _, a := range l.axes {
		add(grid, a.key, listOf(a.values, strings.Count(a.key, ".")+1), a.at.comment(origin))
	}
	if l.exclude != nil {
		add(grid, "exclude", listOf(l.exclude, 0), "")
	}
	if l.include != nil {
		add(grid, "include", listOf(l.include, 0), "")
	}
	return grid
}

// listOf collects the lists that are depth levels deep in the settings.
func listOf(all []values, depth int) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, v := range all {
		n := v.node(false)
		for range depth {
			if len(n.Content) > 0 {
				n = n.Content[1]
			}
		}
		if n.Kind == yaml.MappingNode {
			n.Style, list.Style = yaml.FlowStyle, 0
		}
		list.Content = append(list.Content, n)
	}
	return list
}

// add adds a key with its value and a comment on its line.
func add(parent *yaml.Node, key string, n *yaml.Node, comment string) {
	k := &yaml.Node{Kind: yaml.ScalarNode, Value: key}
	if n.Kind == yaml.SequenceNode && n.Style != yaml.FlowStyle {
		k.LineComment = comment // on the list, it would move to the next key
	} else {
		n.LineComment = comment
	}
	parent.Content = append(parent.Content, k, n)
}

// ParseNoise parses the command line's short form of a noise: its kind and, after a colon, its level (asymmetric:.6)
// or, for kind matrix, its file.
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
