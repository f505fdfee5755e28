package own

import (
	"bytes"
	"context"
	"image/png"

	"github.com/losscorr/losscorr/internal/dataset"
)

// arrayStorage is an NPY file of features [N D] or images [N H W C] or [N H W].
type arrayStorage struct{}

func (arrayStorage) stored(s Source) (dataset.Kind, error) {
	a, err := openExamples(s.Path)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	if len(a.Shape) == 2 {
		return dataset.Vector, nil
	}
	return dataset.Image, nil
}

func (arrayStorage) open(ctx context.Context, s Source, _ dataset.Options) (*dataset.Dataset, error) {
	d, err := openOwnArray(ctx, s)
	if err != nil {
		return nil, err
	}
	return d, s.hash(d)
}

func (arrayStorage) names(_ context.Context, s Source) ([]string, error) {
	a, err := openExamples(s.Path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return rowNames(a.Shape[0]), nil
}

// sums are none: the rows of an array have no other names than their numbers.
func (arrayStorage) sums(context.Context, Source, []string) ([]uint64, error) { return nil, nil }

func (arrayStorage) byRow(Source) bool { return true }

// originals encodes images.
func (arrayStorage) originals(_ context.Context, s Source, ids []string,
	visit func(places []int, o Original) error) error {
	a, err := openExamples(s.Path)
	if err != nil {
		return err
	}
	defer a.Close()
	t, err := readArrayExamples(s.Path, s.Labels, s, a.Shape[0])
	if err != nil {
		return err
	}
	pixels := a.Row
	if a.Fortran() {
		all, err := a.Bytes()
		if err != nil {
			return err
		}
		size := len(all) / a.Shape[0]
		pixels = func(k int) ([]byte, error) { return all[k*size : (k+1)*size], nil }
	}
	wanted := placesOf(ids)
	for row, id := range t.ids {
		places := wanted[id]
		if len(places) == 0 {
			continue
		}
		raw, err := pixels(row)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := png.Encode(&b, asImage(raw, a.Shape[2], a.Shape[1])); err != nil {
			return err
		}
		if err := visit(places, Original{Image: b.Bytes(), MIME: "image/png", Sum: ContentHash(raw)}); err != nil {
			return err
		}
	}
	return nil
}

// read reads new examples.
func (arrayStorage) read(n *newExamples, paths []string, _ dataset.Options) (skipped []dataset.Skipped, err error) {
	path := paths[0]
	a, err := openExamples(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if err := n.want(path, map[bool][]dataset.Kind{true: {dataset.Vector, dataset.Image},
		false: {dataset.Image, dataset.Vector}}[len(a.Shape) == 2]...); err != nil {
		return nil, err
	}
	s := n.Source
	if s.Side = 0; len(n.Shape) == 3 && len(a.Shape) > 2 && n.Shape[1] == n.Shape[2] {
		s.Side = n.Shape[1]
	}
	if each := (dataset.Split{Shape: a.Shape[1:]}).Size(); n.kind() == dataset.Vector && len(a.Shape) > 2 &&
		each == n.Shape[0] {
		n.split.Shape = n.Shape // images such as MNIST's, which the network sees row by row
		n.split.X, err = a.Bytes()
	} else {
		n.split, err = s.content(n.ctx, a)
	}
	n.split.IDs = rowNames(a.Shape[0])
	return nil, err
}
