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
	data, err := yaml.Dump(all.node(origin))
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
				add(root, group, parent)
			}
		}
		n := &yaml.Node{}
		if err := n.Encode(e.value); err != nil {
			panic(err) // impossible: words, numbers and lists can be encoded
		}
		if n.Kind == yaml.SequenceNode {
			n.Style = yaml.FlowStyle
		}
		if text := e.at.String(); origin && text != "" {
			n.LineComment = "# " + text
		}
		add(parent, name, n)
	}
	return root
}

// add adds a key with its value.
func add(parent *yaml.Node, key string, n *yaml.Node) {
	parent.Content = append(parent.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, n)
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
