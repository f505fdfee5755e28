package dataset

import (
	"bytes"
	"context"
	"fmt"
	"image/png"

	"github.com/losscorr/losscorr/internal/rows"
)

func (s Source) originals(ctx context.Context, wanted []int) ([]Original, error) {
	kind, err := s.Stored()
	switch {
	case err != nil:
		return nil, err
	case kind == Vector || s.Path == "":
		return make([]Original, len(wanted)), nil
	case isArray(s.Path):
		return s.arrayOriginals(wanted)
	case rows.Is(s.Path):
		return s.textOriginals(ctx, wanted)
	}
	return originalImages(ctx, s, wanted)
}

// textOriginals reads the texts of training examples.
func (s Source) textOriginals(ctx context.Context, wanted []int) ([]Original, error) {
	places, err := s.places(wanted, func() (*labelTable, error) { return readTableExamples(s.Path, s.Labels, s) })
	if err != nil {
		return nil, err
	}
	at := map[int][]int{} // the places among the wanted, by row
	for k, row := range places {
		at[row] = append(at[row], k)
	}
	originals := make([]Original, len(wanted))
	c := tableContent{Source: s, ctx: ctx}
	err = c.each(s.Path, []string{s.Text}, func(row int, values []string, _ *rows.Reader) error {
		for _, k := range at[row] {
			originals[k].Text = string([]byte(values[0])) // not with the whole row
		}
		return nil
	})
	return originals, err
}

// arrayOriginals encodes images of an array.
func (s Source) arrayOriginals(wanted []int) ([]Original, error) {
	a, err := openExamples(s.Path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	places, err := s.places(wanted, func() (*labelTable, error) { return readArrayExamples(s.Path, s.Labels, s, a.Shape[0]) })
	if err != nil {
		return nil, err
	}
	row := a.Row
	if a.Fortran() {
		all, err := a.Bytes()
		if err != nil {
			return nil, err
		}
		size := len(all) / a.Shape[0]
		row = func(k int) ([]byte, error) { return all[k*size : (k+1)*size], nil }
	}
	originals := make([]Original, len(wanted))
	for k, place := range places {
		if place < 0 || place >= a.Shape[0] {
			return nil, fmt.Errorf("%s has %d examples: there is no number %d", s.Path, a.Shape[0], place)
		}
		pixels, err := row(place)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := png.Encode(&b, picture(pixels, a.Shape[2], a.Shape[1])); err != nil {
			return nil, err
		}
		originals[k] = Original{Image: b.Bytes(), MIME: "image/png"}
	}
	return originals, nil
}

// places returns the rows in the file of training examples. Only splits make them
// differ, so that the labels are read only where there are some.
func (s Source) places(wanted []int, read func() (*labelTable, error)) ([]int, error) {
	if s.Split == "" {
		return wanted, nil
	}
	t, err := read()
	if err != nil {
		return nil, err
	}
	var train []int
	for row, split := range t.splits {
		if split == "train" {
			train = append(train, row)
		}
	}
	places := make([]int, len(wanted))
	for k, row := range wanted {
		if row < 0 || row >= len(train) {
			return nil, fmt.Errorf("%s has %d training examples: there is no number %d", s.Path, len(train), row)
		}
		places[k] = train[row]
	}
	return places, nil
}
