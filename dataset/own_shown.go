package dataset

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"strings"

	"github.com/losscorr/losscorr/internal/rows"
)

func (s Source) originals(ctx context.Context, ids []string) ([]Original, error) {
	kind, err := s.Stored()
	switch {
	case err != nil:
		return nil, err
	case kind == Vector || s.Path == "":
		return make([]Original, len(ids)), nil
	case isArray(s.Path):
		return s.arrayOriginals(ids)
	case rows.Is(s.Path):
		return s.textOriginals(ctx, ids)
	}
	return originalImages(ctx, s.Path, ids)
}

// textOriginals reads the texts of examples.
func (s Source) textOriginals(ctx context.Context, ids []string) ([]Original, error) {
	originals := make([]Original, len(ids))
	err := s.eachText(ctx, ids, func(places []int, text string) {
		original := Original{Text: strings.Clone(text), Sum: sumOf([]byte(text))} // not with the whole row
		for _, k := range places {
			originals[k] = original
		}
	})
	return originals, err
}

// eachText calls found with the places of each name in ids and the text of that example.
func (s Source) eachText(ctx context.Context, ids []string, found func(places []int, text string)) error {
	t, err := readTableExamples(s.Path, s.Labels, s)
	if err != nil {
		return err
	}
	wanted := placesOf(ids)
	c := tableContent{Source: s, ctx: ctx}
	return c.each(s.Path, []string{s.Text}, func(row int, values []string, _ *rows.Reader) error {
		if row >= len(t.ids) {
			return fmt.Errorf("%s: %w", s.Path, errChanged)
		}
		if places := wanted[t.ids[row]]; len(places) > 0 {
			found(places, values[0])
		}
		return nil
	})
}

// placesOf returns the places of each name.
func placesOf(ids []string) map[string][]int {
	places := make(map[string][]int, len(ids))
	for k, id := range ids {
		places[id] = append(places[id], k)
	}
	return places
}

// arrayOriginals encodes images of an array.
func (s Source) arrayOriginals(ids []string) ([]Original, error) {
	a, err := openExamples(s.Path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	t, err := readArrayExamples(s.Path, s.Labels, s, a.Shape[0])
	if err != nil {
		return nil, err
	}
	pixels := a.Row
	if a.Fortran() {
		all, err := a.Bytes()
		if err != nil {
			return nil, err
		}
		size := len(all) / a.Shape[0]
		pixels = func(k int) ([]byte, error) { return all[k*size : (k+1)*size], nil }
	}
	wanted := placesOf(ids)
	originals := make([]Original, len(ids))
	for row, id := range t.ids {
		places := wanted[id]
		if len(places) == 0 {
			continue
		}
		raw, err := pixels(row)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := png.Encode(&b, picture(raw, a.Shape[2], a.Shape[1])); err != nil {
			return nil, err
		}
		for _, k := range places {
			originals[k] = Original{Image: b.Bytes(), MIME: "image/png", Sum: sumOf(raw)}
		}
	}
	return originals, nil
}
