package store

// InputFile holds an Input.
const InputFile = "input.json"

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

	// Backbone computes features of images, which have Shape; shift and scale are of the
	// features. Nil where the network takes the examples themselves.
	Backbone *Backbone `json:"backbone,omitempty"`

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
)

// Backbone is a pretrained network whose outputs are features.
type Backbone struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"` // hexadecimal
	Features int    `json:"features"`
}

// Constant is a tensor, row by row.
type Constant struct {
	Shape  []int     `json:"shape"`
	Values []float64 `json:"values"`
}

// WriteInput writes InputFile and sets its schema.
func (f *Folder) WriteInput(in Input) error {
	in.Schema = 1
	return f.writeJSON(InputFile, in)
}

// Input reads InputFile.
func (f *Folder) Input() (Input, error) {
	var in Input
	err := f.readJSON(InputFile, &in)
	return in, err
}
