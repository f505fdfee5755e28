package own

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
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

// images reads images in the same way as for training.
func (n *newExamples) images(paths []string, opt dataset.Options) error {
	if err := n.want(paths[0], dataset.Image); err != nil {
		return err
	}
	if n.Shape[0] != 3 {
		return fmt.Errorf("%s: the network takes images of shape %v, but files of images have three channels: use an NPY "+
			"file", paths[0], n.Shape)
	}
	s, names, ids, err := n.imageSource(paths)
	if err != nil {
		return err
	}
	job := picture.Job{Names: names, Height: n.Shape[1], Width: n.Shape[2], Square: n.Shape[1] == n.Shape[2],
		Sized: "an image of the training data"}
	n.split.Shape = n.Shape
	if len(names)*job.Bytes() > inMemory(opt) && job.Square && s.IsFolder() {
		files := &picture.Files{Root: s.Path, Names: names, Side: job.Width, Broken: &picture.Broken{Container: s,
			Allowed: opt.MaxBad}}
		n.split.Images, n.split.IDs = files, ids
		return nil
	}
	images, err := job.Decode(n.ctx, s, opt)
	if err != nil {
		return err
	}
	for k, s := range images.Skipped { // by the given paths
		if at := slices.Index(names, s.Name); at >= 0 {
			images.Skipped[k].Name = ids[at]
		}
	}
	n.split.X, n.split.IDs = images.X, dataset.Pick(ids, images.Rows)
	if len(images.Rows) == 0 {
		return fmt.Errorf("%s: no image can be decoded: %s", s.Path, dataset.ListSkipped(images.Skipped, shownNames))
	}
	n.skipped = images.Skipped
	return picture.TooMany(s, images.Skipped, opt.MaxBad)
}

// imageSource returns a container of images, their names in it, and their ids.
func (n *newExamples) imageSource(paths []string) (s archive.Container, names, ids []string, err error) {
	info, err := os.Stat(paths[0])
	if err != nil {
		return s, nil, nil, err
	}
	if !info.IsDir() && files.IsImage(paths[0]) {
		s, names = singleImages(paths)
		return s, names, paths, nil
	}
	if len(paths) > 1 {
		return s, nil, nil, fmt.Errorf("%s and %s: use one folder or archive, or only files of images", paths[0], paths[1])
	}
	tree, err := Source{Path: paths[0]}.readTree(n.ctx, false)
	if err != nil {
		return s, nil, nil, err
	}
	return tree.Container, tree.names, tree.names, nil
}

// singleImages returns a container of single files.
func singleImages(paths []string) (s archive.Container, names []string) {
	var crops []picture.Crop
	for k, path := range paths {
		// A number makes the names unique, and keeps names with a leading dot from being hidden.
		names = append(names, fmt.Sprintf("%d %s", k+1, filepath.Base(path)))
		crops = append(crops, picture.Crop{Name: names[k], File: path})
	}
	return archive.Of(filepath.Dir(paths[0]), picture.Crops(crops)), names
}

// array reads an NPY file.
func (n *newExamples) array(path string) error {
	a, err := openExamples(path)
	if err != nil {
		return err
	}
	defer a.Close()
	kinds := []dataset.Kind{dataset.Image, dataset.Vector}
	if len(a.Shape) == 2 {
		slices.Reverse(kinds)
	}
	if err := n.want(path, kinds...); err != nil {
		return err
	}
	s := n.Source
	if s.Side = 0; len(n.Shape) == 3 && len(a.Shape) > 2 && n.Shape[1] == n.Shape[2] {
		s.Side = n.Shape[1]
	}
	if each := (dataset.Split{Shape: a.Shape[1:]}).Size(); n.kind() == dataset.Vector && len(a.Shape) > 2 &&
		each == n.Shape[0] {
		n.split.Shape = n.Shape // images such as MNIST's, flattened for the network
		n.split.X, err = a.Bytes()
	} else {
		n.split, err = s.content(n.ctx, a)
	}
	n.split.IDs = rowNames(a.Shape[0])
	return err
}

// table reads a table.
func (n *newExamples) table(path string) error {
	kind := dataset.Vector
	if n.Text != "" {
		kind = dataset.Text
	}
	if err := n.want(path, kind); err != nil {
		return err
	}
	t, err := rows.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	r, p := rowReader{Source: n.Source, ctx: n.ctx, plain: n.Form.Texts}, &part{}
	r.tokens = dataset.NewTokenizer(n.Form.Words...)
	if n.Text == "" {
		if r.columns, err = n.numbers(t); err != nil {
			return err
		}
	}
	columns, err := r.content(p, t)
	if err != nil {
		return err
	}
	if id := n.columns().withID(t).id; n.ID == "" && id != "" { // names are optional here, so they may repeat
		columns = append(columns, column{id, func(v string) error {
			n.split.IDs = append(n.split.IDs, rows.Original(strings.Clone(v)))
			return nil
		}})
	}
	table, err := readLabelColumns(n.ctx, t, labelColumns{id: n.ID}, columns...)
	if err != nil {
		return err
	}
	if n.split.IDs == nil {
		table.number()
		n.split.IDs = table.ids
	}
	n.split.TakeContent(p.content)
	if r.words() {
		ids, _ := r.tokens.IDs(n.Form.Vocabulary) // words without a training text are left out, as in training
		sequences(&n.split, n.Shape[0], p.words, ids)
	}
	n.split.Shape = n.Shape
	return nil
}

// numbers returns the names of the columns for a network of numbers.
func (n *newExamples) numbers(t *rows.Reader) ([]string, error) {
	if len(n.Features) == 0 {
		return nil, fmt.Errorf("%s: name the columns of numbers with --features; its columns are %s", t.Path,
			humanize.Quoted(t.Columns(), shownColumns))
	}
	names, err := featureColumns(t, n.Features, nil)
	if err == nil && len(names) != n.Shape[0] {
		err = fmt.Errorf("%s: the columns of numbers are %s, but the network takes %d", t.Path, counted(names), n.Shape[0])
	}
	return names, err
}
