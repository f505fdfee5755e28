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
	t, err := readTableExamples(s.Path, s.Labels, s)
	if err != nil {
		return nil, err
	}
	wanted := placesOf(ids)
	originals := make([]Original, len(ids))
	c := tableContent{Source: s, ctx: ctx}
	err = c.each(s.Path, []string{s.Text}, func(row int, values []string, _ *rows.Reader) error {
		if row >= len(t.ids) {
			return fmt.Errorf("%s: %w", s.Path, errChanged)
		}
		for _, k := range wanted[t.ids[row]] {
			originals[k].Text = strings.Clone(values[0]) // not with the whole row
		}
		return nil
	})
	return originals, err
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
			originals[k] = Original{Image: b.Bytes(), MIME: "image/png"}
		}
	}
	return originals, nil
}

// Unchanged returns an error if examples are known by their rows alone and the file's hash
// differs from that in files (Dataset.Files). Without files it compares nothing; what cannot
// be read is not changed.
func (s Source) Unchanged(files []File) error {
	if !isArray(s.Path) {
		if !rows.Is(s.Path) { // images, by their files
			return nil
		}
		if t, err := readTableExamples(s.Path, s.Labels, s); err != nil || !t.byRow {
			return nil //nolint:nilerr // see above
		}
	}
	for _, then := range files {
		if then.Path != s.Path {
			continue
		}
		if now, err := hashFile(s.Path); err == nil && now.SHA256 != then.SHA256 {
			return fmt.Errorf("%s has changed, and nothing but the order of its rows says which example is which", s.Path)
		}
	}
	return nil
}
