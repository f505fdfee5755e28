package config

import (
	"errors"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// entry is the value of a setting, in the setting's type, and where it was written.
type entry struct {
	value any
	at    Position
}

// values holds settings by dotted key.
type values map[string]entry

// over returns v over the lower values.
func (v values) over(lower values) values {
	out := make(values, len(v)+len(lower))
	maps.Copy(out, lower)
	maps.Copy(out, v)
	return out
}

// text returns the value of a setting that is a word, "" if unset.
func (v values) text(key string) string {
	text, _ := v[key].value.(string)
	return text
}

// config returns a configuration with only these values. Runs of a grid share its lists; do not change them.
func (v values) config() (c Config) {
	for key, e := range v {
		byKey[key].Of(&c).Set(reflect.ValueOf(e.value))
	}
	return c
}

// valuesOf returns the settings of a configuration that are not zero.
func valuesOf(c Config, at Position) values {
	out := values{}
	for _, s := range Settings {
		if v := s.Of(&c); !v.IsZero() {
			out[s.Key] = entry{v.Interface(), at}
		}
	}
	return out
}

// reader reads settings from the YAML of one source.
type reader struct {
	source   string
	folder   string // for relative paths; empty: the working directory
	argument bool   // read from the command line, which has no lines
	ps       *problems
}

func (r *reader) at(n *yaml.Node) Position {
	at := Position{Source: r.source}
	if !r.argument {
		at.Line, at.Column = n.Line, n.Column
	}
	return at
}

func (r *reader) bad(n *yaml.Node, key, format string, args ...any) {
	r.ps.add(r.at(n), key, format, args...)
}

// parse returns the root of a YAML document. Without one it adds a problem, with the text nothing if data is empty, and
// returns nil.
func (r *reader) parse(data []byte, nothing string) *yaml.Node {
	var doc yaml.Node
	err := yaml.Load(data, &doc)
	if err == nil && len(doc.Content) > 0 {
		return target(doc.Content[0])
	}
	at, text := &yaml.Node{}, "no documents"
	var load *yaml.LoadError
	if errors.As(err, &load) {
		at.Line, at.Column = load.Mark.Line, load.Mark.Column
		text = strings.TrimPrefix(load.Message, "yaml: ")
	} else if err != nil {
		text = err.Error()
	}
	if strings.HasPrefix(text, "no documents") {
		r.bad(&yaml.Node{}, "", "%s", nothing)
		return nil
	}
	r.bad(at, "", "cannot be parsed as YAML: %s", text)
	return nil
}

// target follows aliases.
func target(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// entries yields the keys and values of a map, once each, and reports keys that are not words.
func (r *reader) entries(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(_, _ *yaml.Node) bool) {
		lines := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			line, twice := lines[k.Value]
			switch {
			case k.Kind != yaml.ScalarNode:
				r.bad(k, "", "a key must be a word")
			case k.Value == "<<":
				r.bad(k, "<<", "merge keys are not supported; put shared settings into a file and use extends")
			case twice:
				r.bad(k, k.Value, "set twice, first at line %d", line)
			default:
				lines[k.Value] = k.Line
				if !yield(k, target(n.Content[i+1])) {
					return
				}
			}
		}
	}
}

// group reads a map of settings. Their keys have a prefix such as "noise.".
func (r *reader) group(n *yaml.Node, prefix string, out values) {
	if n.Kind != yaml.MappingNode {
		r.bad(n, strings.TrimSuffix(prefix, "."), "must be a map of settings (%s), not %s",
			strings.Join(below(prefix), ", "), describe(n))
		return
	}
	for k, v := range r.entries(n) {
		r.member(k, v, prefix, out)
	}
}

// member reads one key of a map of settings.
func (r *reader) member(k, v *yaml.Node, prefix string, out values) {
	key := prefix + k.Value
	first, rest, dotted := strings.Cut(k.Value, ".")
	switch {
	case !isKey(key):
		r.bad(k, key, "unknown key%s", hint(key))
	case dotted:
		r.bad(k, key, "unknown key: in a file, write %s: {%s: ...}", first, strings.ReplaceAll(rest, ".", ": {"))
	default:
		r.value(v, key, out)
	}
}

// value reads the value of a known key, a setting or a group.
func (r *reader) value(n *yaml.Node, key string, out values) {
	s, ok := byKey[key]
	if !ok {
		r.group(n, key+".", out)
		return
	}
	v := reflect.New(s.Type).Elem()
	switch {
	case s.isList() && n.Kind != yaml.SequenceNode:
		example := map[reflect.Kind]string{reflect.Int: "[40, 80]", reflect.String: "[width, height]"}[s.Type.Elem().Kind()]
		r.bad(n, key, "must be a list such as %s, not %s", example, describe(n))
		return
	case s.isList():
		v.Set(reflect.MakeSlice(s.Type, len(n.Content), len(n.Content)))
		fits := true
		for i, item := range n.Content {
			fits = r.scalar(target(item), s, v.Index(i)) && fits
		}
		if !fits {
			return
		}
	case !r.scalar(n, s, v):
		return
	case v.Kind() == reflect.String && s.isPath(v.String()):
		v.SetString(absolute(r.folder, v.String()))
	}
	out[key] = entry{v.Interface(), r.at(n)}
}

// wanted describes the values of a Go type.
var wanted = map[reflect.Kind]string{reflect.String: "text; put it in quotes", reflect.Bool: "true or false",
	reflect.Int: "a whole number below 2^31", reflect.Uint64: "a whole number from 0 to 2^64-1",
	reflect.Float64: "a finite number"}

// zeros matches whole numbers that YAML 1.1 would read as octal. They are decimal here.
var zeros = regexp.MustCompile(`^([-+]?)0+([0-9_]+)$`)

// scalar decodes one value of a setting. It returns false if the value does not fit.
func (r *reader) scalar(n *yaml.Node, s Setting, out reflect.Value) bool {
	tag := n.ShortTag()
	plain := *n
	if tag == "!!int" {
		plain.Value = zeros.ReplaceAllString(n.Value, "$1$2")
	}
	// Text without quotes may be a number of trusted labels, but a date or a number in another place is a mistake.
	right := out.Kind() != reflect.String || tag == "!!str" || s.Key == "trusted" && tag == "!!int"
	switch {
	case n.Kind != yaml.ScalarNode:
		r.bad(n, s.Key, "must be a single value, not %s", describe(n))
		return false
	// 32 bits are enough for any count, and the sum of two cannot overflow.
	case !right, tag == "!!null", plain.Load(out.Addr().Interface()) != nil,
		out.Kind() == reflect.Int && int64(int32(out.Int())) != out.Int(),
		out.Kind() == reflect.Float64 && (math.IsNaN(out.Float()) || math.IsInf(out.Float(), 0)):
		r.bad(n, s.Key, "%s is not %s", describe(n), wanted[out.Kind()])
		return false
	}
	return true
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "an empty value"
	case n.ShortTag() == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

func absolute(folder, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	path = filepath.Join(folder, path)
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
