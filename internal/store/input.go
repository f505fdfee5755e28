package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/views"
)

// Input is how examples become the input of a run's network, as it was in training. With
// it the network can be used without the training data.
type Input struct {
	Schema  int      `json:"schema"`  // 1
	Classes []string `json:"classes"` // by the number of the output
	Shape   []int    `json:"shape"`   // of an example
	Type    string   `json:"type"`    // one of the types below

	// Shift and Scale turn stored examples x into (x - shift) scale; empty where
	// preprocessing does not.
	Shift *Constant `json:"shift,omitempty"`
	Scale *Constant `json:"scale,omitempty"`

	// Backbone computes features of images, which have Shape, or of texts; shift and scale are of the
	// features. Nil where the network takes the examples themselves.
	Backbone *Backbone `json:"backbone,omitempty"`

	// View says how a view made the features, of which there are Shape[0]; nil where the network
	// takes the examples themselves.
	View *views.State `json:"view,omitempty"`

	// Of features in a table: their columns.
	Columns []string `json:"columns,omitempty"`

	// Of texts: the words of the training texts, the most frequent first, and how many
	// word ids there are.
	Words      []string `json:"words,omitempty"`
	Vocabulary int      `json:"vocabulary,omitempty"`
}

// The values of Input.Type.
const (
	Bytes   = "bytes"
	Numbers = "numbers"
	Words   = "words"
	Texts   = "texts" // as they are written, for an encoder
)

// Backbone is a pretrained network whose outputs are features.
type Backbone struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"` // hexadecimal
	Features int    `json:"features"`
	Side     int    `json:"side,omitempty"` // of its images; 0: as the configuration says
}

// Constant is a tensor, row by row.
type Constant struct {
	Shape  []int     `json:"shape"`
	Values []float64 `json:"values"`
}

// The keys of the metadata of selected weights, beside format, which is "pt" as in the files
// of PyTorch's users.
const (
	inputKey  = "losscorr.input"  // an Input
	configKey = "losscorr.config" // the configuration of the run
	idKey     = "losscorr.run"    // its name
)

// WeightsMetadata returns what the file of a run's selected weights says beside them, so
// that the file alone can be used.
func WeightsMetadata(c config.Config, in Input) (map[string]string, error) {
	in.Schema = 1
	input, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(c)
	return map[string]string{"format": "pt", idKey: c.ID(), inputKey: string(input), configKey: string(settings)}, err
}

// ParseWeightsMetadata returns what WeightsMetadata was given. The error names what is
// missing or damaged.
func ParseWeightsMetadata(metadata map[string]string) (c config.Config, in Input, err error) {
	if metadata[inputKey] == "" || metadata[configKey] == "" {
		return c, in, errors.New("its metadata lack the preprocessing of examples: want the selected weights of a run of " +
			"this version of the program")
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

// check bounds what is made of the input before its weights are compared with it.
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
		return fmt.Errorf("features of a view of type %q and shape %v", in.Type, in.Shape)
	case (in.Shift == nil) != (in.Scale == nil):
		return errors.New("of shift and scale one is missing")
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
			return fmt.Errorf("%d constants of shape %v for examples of shape %v", len(c.Values), c.Shape, shape)
		}
	}
	return nil
}

// goesWith reports whether a constant has the shape of a batch of one example, or one that
// broadcasts to it.
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
