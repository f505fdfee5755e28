package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/views"
)

// Input describes how examples become the input of a run's network, so the network can be used without the training
// data.
type Input struct {
	Schema  int      `json:"schema"`  // 1
	Classes []string `json:"classes"` // by the number of the output
	Shape   []int    `json:"shape"`   // of an example
	Type    string   `json:"type"`    // one of the types below

	// Shift and Scale turn stored examples x into (x - shift) scale; empty if preprocessing does not.
	Shift *Constant `json:"shift,omitempty"`
	Scale *Constant `json:"scale,omitempty"`

	// Backbone computes features from texts, or from images of Shape; Shift and Scale then apply to the features. Nil if
	// the network takes the examples themselves.
	Backbone *Backbone `json:"backbone,omitempty"`

	// View describes how a view made the Shape[0] features; nil if the network takes the examples themselves.
	View *views.State `json:"view,omitempty"`

	// Columns names the features of a table.
	Columns []string `json:"columns,omitempty"`

	// Words are the words of the training texts, most frequent first; Vocabulary is the number of word ids.
	Words      []string `json:"words,omitempty"`
	Vocabulary int      `json:"vocabulary,omitempty"`
}

// The values of Input.Type.
const (
	Bytes   = "bytes"
	Numbers = "numbers"
	Words   = "words"
	Texts   = "texts" // as written, for an encoder
)

// Backbone is a pretrained network whose outputs are features.
type Backbone struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"` // hexadecimal
	Features int    `json:"features"`
	Side     int    `json:"side,omitempty"` // of its images; 0: from the configuration
}

// Constant is a tensor, row by row.
type Constant struct {
	Shape  []int     `json:"shape"`
	Values []float64 `json:"values"`
}

// The keys of the metadata of selected weights. There is also format, which is pt, as in files from PyTorch.
const (
	inputKey  = "losscorr.input"  // an Input
	configKey = "losscorr.config" // the configuration of the run
	idKey     = "losscorr.run"    // the run's ID
)

// WeightsMetadata returns the metadata that lets a file of selected weights be used without other files.
func WeightsMetadata(c config.Config, in Input) (map[string]string, error) {
	in.Schema = 1
	input, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(c)
	return map[string]string{"format": "pt", idKey: c.ID(), inputKey: string(input), configKey: string(settings)}, err
}

// ParseWeightsMetadata is the inverse of WeightsMetadata. The error names what is missing or damaged.
func ParseWeightsMetadata(metadata map[string]string) (c config.Config, in Input, err error) {
	if metadata[inputKey] == "" || metadata[configKey] == "" {
		return c, in, errors.New("its metadata do not describe the input: use the selected weights of a run of this " +
			"version of losscorr")
	}
	if err := json.Unmarshal([]byte(metadata[inputKey]), &in); err != nil {
		return c, in, fmt.Errorf("its metadata are damaged: %s: %w", inputKey, err)
	}
	if err := json.Unmarshal([]byte(metadata[configKey]), &c); err != nil {
		return c, in, fmt.Errorf("its metadata are damaged: %s: %w", configKey, err)
	}
	if in.Schema != 1 || len(in.Classes) == 0 || len(in.Shape) == 0 {
		return c, in, fmt.Errorf("its metadata are damaged: %s has schema %d, classes %v and shape %v", inputKey, in.Schema,
			in.Classes, in.Shape)
	}
	if err := in.check(); err != nil {
		return c, in, fmt.Errorf("its metadata are damaged: %s: %w", inputKey, err)
	}
	return c, in, nil
}

// maxElements bounds the elements of an example: three channels of 4096 x 4096 pixels.
const maxElements = 3 << 24

// check bounds the sizes that a network for the input would have, before its weights are compared with it.
func (in Input) check() error {
	n := 1
	for _, d := range in.Shape {
		if d < 1 || d > maxElements/n {
			return fmt.Errorf("shape %v: want at least 1 and at most %d elements", in.Shape, maxElements)
		}
		n *= d
	}
	switch {
	case len(in.Shape) != 1 && len(in.Shape) != 3:
		return fmt.Errorf("shape %v: want one dimension or three", in.Shape)
	case in.Type != Bytes && in.Type != Numbers && in.Type != Words && in.Type != Texts:
		return fmt.Errorf("unknown type %q", in.Type)
	case in.Type == Texts && (in.Backbone == nil || len(in.Shape) != 1):
		return fmt.Errorf("texts of shape %v without an encoder", in.Shape)
	case in.Vocabulary < 0 || in.Vocabulary > 0 && in.Type != Words:
		return fmt.Errorf("type %q with a vocabulary of %d", in.Type, in.Vocabulary)
	case in.View != nil && (in.Type != Numbers || len(in.Shape) != 1):
		return fmt.Errorf("a view with type %q and shape %v; want features of one dimension", in.Type, in.Shape)
	case (in.Shift == nil) != (in.Scale == nil):
		return errors.New("shift or scale is missing")
	}
	if in.View != nil {
		if err := in.View.Check(in.Shape[0]); err != nil {
			return fmt.Errorf("view: %w", err)
		}
	}
	shape := in.Shape
	if in.Backbone != nil {
		shape = []int{in.Backbone.Features}
	}
	for _, c := range []*Constant{in.Shift, in.Scale} {
		if c != nil && !c.goesWith(shape) {
			return fmt.Errorf("shift or scale of %d values, shape %v, for examples of shape %v", len(c.Values), c.Shape, shape)
		}
	}
	return nil
}

// goesWith reports whether a constant has the shape of a batch of one example, or broadcasts to it.
func (c *Constant) goesWith(shape []int) bool {
	batch := append([]int{1}, shape...)
	n, from := 1, len(batch)-len(c.Shape)
	if from < 0 {
		return false
	}
	for k, d := range c.Shape {
		if d != 1 && d != batch[from+k] {
			return false
		}
		n *= d
	}
	return n == len(c.Values)
}
