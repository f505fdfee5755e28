package own

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/dataset"
)

// Source describes where a user's own examples and labels are. Empty fields have defaults that suit most data; see
// the package's documentation.
type Source struct {
	// a folder or archive of images, a table (CSV, TSV, JSON lines, Parquet), or an NPY file of features [N D] or of
	// images [N H W C]
	Path string `yaml:"path,omitempty" json:"path,omitempty"`
	// a file of the labels, where path has none or other ones: a table with the columns id and label, an NPY file, or text
	// with one label per line; the latter two in the order of the examples
	Labels string `yaml:"labels,omitempty" json:"labels,omitempty"`
	// a test set in the form of path, where path has none
	Test       string `yaml:"test,omitempty" json:"test,omitempty"`
	TestLabels string `yaml:"test_labels,omitempty" json:"test_labels,omitempty"` // labels of test

	// a pretrained network, whose outputs for the images are the features that are learned from: FILE.pt2 of
	// torch.export.save, or ResNet-50's weights as safetensors
	Backbone string `yaml:"backbone,omitempty" json:"backbone,omitempty"`

	// features that are learned from in place of the data: tfidf of texts
	View string `yaml:"view,omitempty" json:"view,omitempty"`

	// The columns of tables.

	Label string `yaml:"label,omitempty" json:"label,omitempty"` // column of the given label; empty: label
	// column of the names of the examples; empty: file_name or id for images and where a table and its labels both have
	// it, else the numbers of the rows, from 0
	ID   string `yaml:"id,omitempty" json:"id,omitempty"`
	Text string `yaml:"text,omitempty" json:"text,omitempty"` // column of the text
	// columns of numbers: names, or first-last for a range of columns
	Features []string `yaml:"features,omitempty" json:"features,omitempty"`
	Split    string   `yaml:"split,omitempty" json:"split,omitempty"` // column with train, val or test
	// column of the true label, empty where it is not known
	Truth string `yaml:"truth,omitempty" json:"truth,omitempty"`
	// column with 1, true or yes where the given label is known to be right
	Trusted string `yaml:"trusted,omitempty" json:"trusted,omitempty"`
	// column that is the same for examples that belong together, which stay in one fold
	Group string `yaml:"group,omitempty" json:"group,omitempty"`

	// names of classes whose labels are whole numbers, each as NUMBER=NAME; a class without one keeps its number
	ClassNames []string `yaml:"class_names,omitempty" json:"class_names,omitempty"`

	// height and width to which images are resized; 0: their own size if all have the same one of at most 64 pixels, else
	// 64
	Side int `yaml:"side,omitempty" json:"side,omitempty"`
	// number of words that have a vector; 0: 20000
	Vocabulary int `yaml:"vocabulary,omitempty" json:"vocabulary,omitempty"`
	// how many of the last words of a text are used; 0: 400, or the length of the longest text if that is shorter
	Words int `yaml:"words,omitempty" json:"words,omitempty"`
}

// Kind returns the kind of examples that a network takes: Vector for the features of a view or Backbone, else Stored.
func (s Source) Kind() (dataset.Kind, error) { return s.kindOf(formOf(s.Path)) }

func (s Source) kindOf(f form) (dataset.Kind, error) {
	kind, err := s.stored(f)
	if s.View != "" && err == nil {
		return dataset.Vector, nil
	}
	if s.Backbone == "" || err != nil {
		return kind, err
	}
	if kind != dataset.Image {
		return 0, fmt.Errorf("%s holds %s: a backbone needs images", s.Path, kindNames[kind])
	}
	return dataset.Vector, nil
}

// Stored returns the kind of the stored examples, without reading all of them: Text if a column of text is named,
// Vector for columns of features and for NPY files [N D], else Image.
func (s Source) Stored() (dataset.Kind, error) { return s.stored(formOf(s.Path)) }

func (s Source) stored(f form) (dataset.Kind, error) {
	switch f {
	case arrays:
		a, err := openExamples(s.Path)
		if err != nil {
			return 0, err
		}
		defer a.Close()
		if len(a.Shape) == 2 {
			return dataset.Vector, nil
		}
	case tables:
		switch {
		case s.Text != "" && len(s.Features) > 0:
			return 0, fmt.Errorf("%s: use a column of text or columns of features, not both", s.Path)
		case s.Text != "":
			return dataset.Text, nil
		case len(s.Features) > 0:
			return dataset.Vector, nil
		}
		return 0, s.columnsWanted()
	}
	return dataset.Image, nil
}
