package own

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
)

// Form is the form of the examples that a network was trained on.
type Form struct {
	Shape      []int
	Bytes      bool     // elements are bytes, such as pixels
	Words      []string // of texts: Dataset.Ranked
	Vocabulary int      // of texts: len(Dataset.Words)
	Texts      bool     // plain texts, for a view
}

// kind returns the kind of the examples.
func (f Form) kind() dataset.Kind {
	switch {
	case f.Vocabulary > 0 || f.Texts:
		return dataset.Text
	case len(f.Shape) == 1:
		return dataset.Vector
	}
	return dataset.Image
}

// OpenNew reads new examples without labels in the form of a network's training data: a folder or an
// archive of images, single images, a table or an NPY file. s names the columns of a table, as for
// training. The split has IDs, and zeros for labels. warnings are lines for people about broken
// images. More than Options.MaxBad broken images are an error.
func OpenNew(
	ctx context.Context, s Source, paths []string, trained Form, opt dataset.Options,
) (split dataset.Split, warnings []string, err error) {
	defer within("new data", &err)
	for _, path := range paths {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return split, nil, fmt.Errorf("%s: no such file or folder", path)
		}
	}
	n := newExamples{Source: s, Form: trained, ctx: ctx}
	form := formOf(paths[0])
	switch {
	case len(paths) > 1 && form != images:
		err = fmt.Errorf("%s and %s: only images can be several files", paths[0], paths[1])
	case form == images:
		err = n.images(paths, opt)
	case form == arrays:
		err = n.array(paths[0])
	case form == tables:
		err = n.table(paths[0])
	default:
		err = errNoExamples
	}
	if err == nil {
		err = n.check(paths[0])
	}
	if err != nil {
		return split, nil, err
	}
	n.split.Labels = make([]int, len(n.split.IDs))
	return n.split, dataset.SkippedLines(n.skipped), nil
}

// newExamples reads new examples.
type newExamples struct {
	Source
	Form
	ctx     context.Context
	split   dataset.Split
	skipped []dataset.Skipped
}

var kindNames = map[dataset.Kind]string{dataset.Text: "texts", dataset.Vector: "vectors of numbers",
	dataset.Image: "images"}

// want returns an error if the network takes another kind of examples.
func (n *newExamples) want(path string, kinds ...dataset.Kind) error {
	if slices.Contains(kinds, n.kind()) {
		return nil
	}
	return fmt.Errorf("%s has %s, but the network takes %s of shape %v", path, kindNames[kinds[0]], kindNames[n.kind()],
		n.Shape)
}

// check compares the examples with the training data.
func (n *newExamples) check(path string) error {
	s := &n.split
	if size := (dataset.Split{Shape: n.Shape}).Size(); !slices.Equal(s.Shape, n.Shape) {
		if s.Size() != size || len(s.Shape) > 1 && len(n.Shape) > 1 {
			return fmt.Errorf("%s has examples of shape %v, but the network takes %v", path, s.Shape, n.Shape)
		}
		s.Shape = n.Shape
	}
	switch {
	case n.Bytes && s.X == nil && s.Images == nil:
		return fmt.Errorf("%s has other numbers, but the network takes bytes: convert them with x.astype('uint8')", path)
	case !n.Bytes && s.X != nil:
		s.Features = make([]float32, len(s.X))
		for k, v := range s.X {
			s.Features[k] = float32(v)
		}
		s.X = nil
	}
	return nil
}
