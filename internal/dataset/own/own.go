package own

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/dataset"
)

// Source describes where a user's own examples and labels are. Empty fields have defaults that suit most data; see
// the package's documentation.
type Source struct {
	Path       string `json:"path,omitempty"`
	Labels     string `json:"labels,omitempty"`
	Test       string `json:"test,omitempty" help:"a test set in the form of path, where path has none"`
	TestLabels string `json:"test_labels,omitempty" help:"labels of test"`
	Backbone   string `json:"backbone,omitempty"`
	View       string `json:"view,omitempty" help:"features that are learned from in place of the data: tfidf of texts"`

	// The columns of tables.

	Label    string   `json:"label,omitempty" help:"column of the given label; empty: label"`
	ID       string   `json:"id,omitempty"`
	Text     string   `json:"text,omitempty" help:"column of the text"`
	Features []string `json:"features,omitempty" help:"columns of numbers: names, or first-last for a range of columns"`
	Split    string   `json:"split,omitempty" help:"column with train, val or test"`
	Truth    string   `json:"truth,omitempty" help:"column of the true label, empty where it is not known"`
	Trusted  string   `json:"trusted,omitempty"`
	Group    string   `json:"group,omitempty"`

	ClassNames []string `json:"class_names,omitempty"`

	// Sizes, which are chosen from the data where they are 0.

	Side       int `json:"side,omitempty"`
	Vocabulary int `json:"vocabulary,omitempty" help:"number of words that have a vector; 0: 20000"`
	Words      int `json:"words,omitempty"`
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
