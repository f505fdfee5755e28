package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/archive"
	"github.com/losscorr/losscorr/dataset/picture"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// Form is that of the examples on which a network was trained.
type Form struct {
	Shape      []int
	Bytes      bool     // their elements are bytes: pixels
	Words      []string // of texts: Dataset.Ranked
	Vocabulary int      // of texts: len(Dataset.Words)
	Texts      bool     // texts as they are written, for a view
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

// OpenNew reads new examples, without labels, in the form on which a network was trained:
// a folder or an archive of images, files of single images, a table or an NPY file. s
// says which columns of a table are read, as for training. The split has IDs, and zeros
// for labels. skipped lists the images that do not decode, with reasons; it is an error
// if there are more of them than Options.MaxBad.
func OpenNew(ctx context.Context, s Source, paths []string, form Form, opt dataset.Options) (split dataset.Split, skipped []string, err error) {
	for _, path := range paths {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return dataset.Split{}, nil, fmt.Errorf("dataset: new data: %s: no such file or folder", path)
		}
	}
	n := newExamples{Source: s, Form: form, ctx: ctx}
	switch path := paths[0]; {
	case len(paths) > 1 && (isArray(path) || rows.Is(path)):
		err = fmt.Errorf("%s and %s: only images are given as several files", path, paths[1])
	case isArray(path):
		err = n.array(path)
	case rows.Is(path):
		err = n.table(path)
	default:
		skipped, err = n.images(paths, opt)
	}
	if err == nil {
		err = n.check(paths[0])
	}
	if err != nil {
		return dataset.Split{}, nil, fmt.Errorf("dataset: new data: %w", err)
	}
	n.split.Labels = make([]int, len(n.split.IDs))
	return n.split, skipped, nil
}

// newExamples reads new examples.
type newExamples struct {
	Source
	Form
	ctx   context.Context
	split dataset.Split
}

var kindNames = map[dataset.Kind]string{dataset.Text: "texts", dataset.Vector: "vectors of numbers", dataset.Image: "images"}

// want returns an error if the network takes examples of another kind.
func (n *newExamples) want(path string, kinds ...dataset.Kind) error {
	if slices.Contains(kinds, n.kind()) {
		return nil
	}
	return fmt.Errorf("%s has %s, the network takes %s of shape %v", path, kindNames[kinds[0]], kindNames[n.kind()], n.Shape)
}

// check compares the examples with those of training.
func (n *newExamples) check(path string) error {
	s := &n.split
	if size := (dataset.Split{Shape: n.Shape}).Size(); !slices.Equal(s.Shape, n.Shape) {
		if s.Size() != size || len(s.Shape) > 1 && len(n.Shape) > 1 {
			return fmt.Errorf("%s has examples of shape %v, the network takes %v", path, s.Shape, n.Shape)
		}
		s.Shape = n.Shape
	}
	switch {
	case n.Bytes && s.X == nil && s.Images == nil:
		return n.toBytes(path)
	case !n.Bytes && s.X != nil:
		s.Features = make([]float32, len(s.X))
		for k, v := range s.X {
			s.Features[k] = float32(v)
		}
		s.X = nil
	}
	return nil
}

// toBytes turns numbers into bytes, as which the network has seen them.
func (n *newExamples) toBytes(path string) error {
	s := &n.split
	if s.Features == nil {
		return fmt.Errorf("%s has numbers of float16, the network takes bytes: x.astype('uint8')", path)
	}
	s.X = make([]byte, len(s.Features))
	for k, v := range s.Features {
		if s.X[k] = byte(max(0, min(v, math.MaxUint8))); float32(s.X[k]) != v {
			return fmt.Errorf("%s has the number %v, the network takes bytes from 0 to 255, as in its training data", path, v)
		}
	}
	s.Features = nil
	return nil
}

func (n *newExamples) array(path string) error {
	a, err := openExamples(path)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := n.want(path, map[bool][]dataset.Kind{true: {dataset.Vector, dataset.Image}, false: {dataset.Image, dataset.Vector}}[len(a.Shape) == 2]...); err != nil {
		return err
	}
	s := n.Source
	if s.Side = 0; len(n.Shape) == 3 && len(a.Shape) > 2 && n.Shape[1] == n.Shape[2] {
		s.Side = n.Shape[1]
	}
	if each := (dataset.Split{Shape: a.Shape[1:]}).Size(); n.kind() == dataset.Vector && len(a.Shape) > 2 && each == n.Shape[0] {
		n.split.Shape = n.Shape // images such as MNIST's, which the network sees row by row
		n.split.X, err = a.Bytes()
	} else {
		n.split, err = s.content(n.ctx, a)
	}
	t := labelTable{}
	t.number(a.Shape[0])
	n.split.IDs = t.ids
	return err
}

func (n *newExamples) table(path string) error {
	if err := n.want(path, map[bool][]dataset.Kind{true: {dataset.Text}, false: {dataset.Vector}}[n.Text != ""]...); err != nil {
		return err
	}
	r, err := rows.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	columns := []string{n.Text}
	if n.Text == "" {
		if len(n.Features) == 0 {
			return fmt.Errorf("%s: which columns have the numbers (--features)? Its columns: %s", path, humanize.Quoted(r.Columns(), shownColumns))
		}
		if columns, err = featureColumns(r, n.Features, nil); err != nil {
			return err
		}
		if len(columns) != n.Shape[0] {
			return fmt.Errorf("%s: the columns of numbers are %s; the network takes %d", path, some(columns), n.Shape[0])
		}
	}
	content := len(columns)
	id := n.columns().named(r).id // names that nobody asked for may be the same, as in training
	if id != "" {
		columns = append(columns, id)
	}
	names := labelReader{first: map[string]string{}}
	add := n.addNumbers
	if n.Text != "" {
		add = n.addText()
	}
	n.split.Shape = n.Shape
	if err := r.Select(columns...); err != nil {
		return err
	}
	for k := 0; ; k++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && k%1024 == 0 {
			err = n.ctx.Err()
		}
		if err != nil {
			return err
		}
		if err := add(row[:content]); err != nil {
			return fmt.Errorf("%s: %w", r.Where(), err)
		}
		if id == "" {
			n.split.IDs = append(n.split.IDs, strconv.Itoa(k))
		} else if n.ID == "" {
			n.split.IDs = append(n.split.IDs, rows.Original(strings.Clone(row[content])))
		} else if err := names.id(&n.split.IDs, row[content], r); err != nil {
			return fmt.Errorf("%s: column %q: %w", r.Where(), id, err)
		}
	}
	if len(n.split.IDs) == 0 {
		return fmt.Errorf("%s has no row", path)
	}
	return nil
}

func (n *newExamples) addNumbers(texts []string) error {
	for _, text := range texts {
		x, err := number(text)
		if err != nil {
			return err
		}
		n.split.Features = append(n.split.Features, x)
	}
	return nil
}

// addText returns the function that appends a text with the word ids of training.
func (n *newExamples) addText() func([]string) error {
	if n.Form.Texts {
		return func(texts []string) error {
			n.split.Texts = append(n.split.Texts, strings.Clone(texts[0]))
			return nil
		}
	}
	tokens := dataset.NewTokenizer()
	ids := make([]int32, len(n.Form.Words))
	for rank, word := range n.Form.Words {
		tokens.Count([]byte(word), false)
		ids[rank] = dataset.IDUnknown
		if id := dataset.IDFrom + 1 + rank; id < n.Form.Vocabulary {
			ids[rank] = int32(id)
		}
	}
	return func(texts []string) error {
		numbers := tokens.Add([]byte(texts[0]), false)
		// Words that no training text has are left out, as in training.
		numbers = slices.DeleteFunc(numbers, func(word int32) bool { return int(word) >= len(ids) })
		row := make([]int32, n.Shape[0])
		dataset.Sequence(row, numbers, ids)
		n.split.Tokens = append(n.split.Tokens, row...)
		return nil
	}
}

// images reads images as they were read for training.
func (n *newExamples) images(paths []string, opt dataset.Options) (skipped []string, err error) {
	if err := n.want(paths[0], dataset.Image); err != nil {
		return nil, err
	}
	if n.Shape[0] != 3 {
		return nil, fmt.Errorf("%s: the network takes images of shape %v, files of images have three channels: give an NPY file", paths[0], n.Shape)
	}
	s, names, ids, err := n.imageSource(paths)
	if err != nil {
		return nil, err
	}
	job := picture.Job{Names: names, Height: n.Shape[1], Width: n.Shape[2], Square: n.Shape[1] == n.Shape[2], Sized: "an image of the training data"}
	n.split.Shape = n.Shape
	if len(names)*job.Bytes() > inMemory(opt) && job.Square && s.IsFolder() {
		files := &picture.Files{Root: s.Path, Names: names, Side: job.Width, Broken: &picture.Broken{Container: s, Allowed: opt.MaxBad}}
		n.split.Images, n.split.IDs = files, ids
		return nil, nil
	}
	images, err := job.Decode(n.ctx, s, opt)
	if err != nil {
		return nil, err
	}
	for k, line := range images.Skipped { // by the paths that were given
		name, why, _ := strings.Cut(line, ": ")
		if at := slices.Index(names, name); at >= 0 {
			images.Skipped[k] = ids[at] + ": " + why
		}
	}
	n.split.X, n.split.IDs = images.X, dataset.Pick(ids, images.Rows)
	if len(images.Rows) == 0 {
		return nil, fmt.Errorf("%s: no image can be decoded: %s", s.Path, shorten(images.Skipped))
	}
	return images.Skipped, picture.TooMany(s, images.Skipped, opt.MaxBad)
}

// imageSource returns a container of images, their names in it, and what to call them.
func (n *newExamples) imageSource(paths []string) (s archive.Container, names, ids []string, err error) {
	info, err := os.Stat(paths[0])
	if err != nil {
		return s, nil, nil, err
	}
	if !info.IsDir() && slices.Contains(imageEndings, strings.ToLower(filepath.Ext(paths[0]))) {
		s, names, err = singleImages(paths)
		return s, names, paths, err
	}
	if len(paths) > 1 {
		return s, nil, nil, fmt.Errorf("%s and %s: give one folder or archive, or files of images", paths[0], paths[1])
	}
	tree, err := readTree(n.ctx, paths[0], false)
	if err != nil {
		return s, nil, nil, err
	}
	return tree.Container, tree.names, tree.names, nil
}

// singleImages returns a source of single files.
func singleImages(paths []string) (s archive.Container, names []string, err error) {
	var members []archive.Member
	for k, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return s, nil, err
		case !info.IsDir() && !info.Mode().IsRegular():
			return s, nil, fmt.Errorf("%s: %w", path, files.Regular(info.Mode()))
		case info.IsDir() || !slices.Contains(imageEndings, strings.ToLower(filepath.Ext(path))):
			return s, nil, fmt.Errorf("%s is not a file of an image by its name, as %s is", path, paths[0])
		}
		// A number makes the names differ, and hides no file whose name begins with a dot.
		names = append(names, fmt.Sprintf("%d %s", k+1, filepath.Base(path)))
		members = append(members, archive.Member{Name: names[k], Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(path) }})
	}
	return archive.Of(cmp.Or(filepath.Dir(paths[0]), "."), members), names, nil
}
