package views

import (
	"context"
	"fmt"

	"github.com/losscorr/losscorr/internal/dataset"
)

// State is what a view needs to compute features of new examples in the same way as for the
// training data. A run keeps it.
type State struct {
	Name  string `json:"name"`
	TFIDF *TFIDF `json:"tfidf,omitempty"`
}

// Fit returns the state of a view, computed from training data.
func Fit(name string, train dataset.Split) (*State, error) {
	if name != tfidfEntry.Name {
		return nil, fmt.Errorf("unknown view %q", name)
	}
	v, err := NewTFIDF(train.Texts)
	return &State{Name: name, TFIDF: v}, err
}

// Check returns an error if a state read from a file is damaged. features is the expected number of features.
func (s *State) Check(features int) error {
	if s.TFIDF == nil || s.Name != tfidfEntry.Name {
		return fmt.Errorf("%q has no vocabulary", s.Name)
	}
	if n := len(s.TFIDF.Terms); n != features {
		return fmt.Errorf("a vocabulary of %d terms for %d features", n, features)
	}
	return s.TFIDF.Check()
}

// Apply replaces examples by their features.
func (s *State) Apply(ctx context.Context, split *dataset.Split) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	split.Sparse, err = s.TFIDF.Features(split.Texts)
	split.Texts, split.Shape = nil, []int{len(s.TFIDF.Terms)}
	return err
}
