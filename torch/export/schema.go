package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// The parts of torch/_export/serde/schema.py, major version 8, that this package reads.

const schemaMajor = 8

type exportedProgram struct {
	GraphModule   graphModule           `json:"graph_module"`
	Ranges        map[string]valueRange `json:"range_constraints"`
	SchemaVersion struct {
		Major int `json:"major"`
		Minor int `json:"minor"`
	} `json:"schema_version"`
	TorchVersion string `json:"torch_version"`
}

type valueRange struct {
	Max *int `json:"max_val"`
}

type graphModule struct {
	Graph     graph `json:"graph"`
	Signature struct {
		Inputs  []union `json:"input_specs"`
		Outputs []union `json:"output_specs"`
	} `json:"signature"`
}

type graph struct {
	Nodes   []node                `json:"nodes"`
	Tensors map[string]tensorMeta `json:"tensor_values"`
}

type node struct {
	Target   string            `json:"target"`
	Inputs   []namedArgument   `json:"inputs"`
	Outputs  []union           `json:"outputs"`
	Metadata map[string]string `json:"metadata"`
	Name     string            `json:"name"`
}

type namedArgument struct {
	Name string `json:"name"`
	Arg  union  `json:"arg"`
}

type tensorMeta struct {
	DType         int        `json:"dtype"`
	Sizes         []union    `json:"sizes"`
	RequiresGrad  bool       `json:"requires_grad"`
	Device        deviceMeta `json:"device"`
	Strides       []union    `json:"strides"`
	StorageOffset union      `json:"storage_offset"`
}

type deviceMeta struct {
	Type  string `json:"type"`
	Index *int   `json:"index"`
}

func (d deviceMeta) String() string {
	if d.Index == nil || d.Type == "cpu" {
		return d.Type
	}
	return fmt.Sprintf("%s:%d", d.Type, *d.Index)
}

// payload describes one tensor of data/weights or data/constants.
type payload struct {
	Path    string     `json:"path_name"`
	IsParam bool       `json:"is_param"`
	Pickle  bool       `json:"use_pickle"`
	Meta    tensorMeta `json:"tensor_meta"`
}

// The specs of the signature.
type inputSpec struct {
	Arg        json.RawMessage `json:"arg"`
	Parameter  string          `json:"parameter_name"`
	Buffer     string          `json:"buffer_name"`
	Persistent *bool           `json:"persistent"`
	Constant   string          `json:"tensor_constant_name"`
}

// union is an object of one field, whose name is its kind.
type union struct {
	kind string
	raw  json.RawMessage
}

// UnmarshalJSON reads the only field that is not null.
func (u *union) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for kind, raw := range fields {
		if bytes.Equal(raw, []byte("null")) {
			continue
		}
		if u.kind != "" {
			return fmt.Errorf("both %s and %s, expected one", u.kind, kind)
		}
		u.kind, u.raw = kind, raw
	}
	if u.kind == "" {
		return errors.New("an empty object, expected one field")
	}
	return nil
}

func (u union) into(v any) error {
	if err := json.Unmarshal(u.raw, v); err != nil {
		return fmt.Errorf("%s: %w", u.kind, err)
	}
	return nil
}

// size returns a whole number, or false if the size is symbolic.
func (u union) size() (int, bool) {
	var n int
	if u.kind != "as_int" || u.into(&n) != nil {
		return 0, false
	}
	return n, true
}

// symbol returns the name in a symbolic size such as Symbol('s77', positive=True), or "" for an expression of several
// parts.
func (u union) symbol() string {
	var e struct {
		Expr string `json:"expr_str"`
	}
	if u.kind != "as_expr" || u.into(&e) != nil {
		return ""
	}
	rest, found := strings.CutPrefix(e.Expr, "Symbol('")
	if !found {
		return e.Expr // a bare name, as releases before 2.8 write it
	}
	name, _, _ := strings.Cut(rest, "'")
	return name
}

// reference names a tensor of the graph.
type reference struct {
	Name string `json:"name"`
}

// tensorName returns the name in {"as_tensor": {"name": ..}}.
func (u union) tensorName() (string, bool) {
	var t reference
	if u.kind != "as_tensor" || u.into(&t) != nil {
		return "", false
	}
	return t.Name, true
}

// float is a number, which is text in JSON if it is not finite.
type float float64

// UnmarshalJSON also takes "Infinity", "-Infinity" and "NaN".
func (f *float) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"Infinity"`:
		*f = float(math.Inf(1))
	case `"-Infinity"`:
		*f = float(math.Inf(-1))
	case `"NaN"`:
		*f = float(math.NaN())
	default:
		return json.Unmarshal(data, (*float64)(f))
	}
	return nil
}
