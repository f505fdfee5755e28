package own

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"strings"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/picture"
	"github.com/losscorr/losscorr/internal/rows"
)

func (s Source) eachOriginal(ctx context.Context, ids []string, visit func(places []int, o Original) error) error {
	kind, err := s.Stored()
	switch {
	case err != nil:
		return err
	case kind == dataset.Vector || s.Path == "":
		return nil
	case isArray(s.Path):
		return s.eachArrayImage(ids, visit)
	case rows.Is(s.Path):
		return s.eachText(ctx, ids, func(places []int, text string) error {
			return visit(places, Original{Text: strings.Clone(text), Sum: ContentHash([]byte(text))}) // not with the whole row
		})
	}
	return eachImage(ctx, s.Path, placesOf(ids), func(places []int, raw []byte) error {
		shown, mime, err := picture.Preview(raw)
		if shown == nil || err != nil { // broken
			return err
		}
		return visit(places, Original{Image: shown, MIME: mime, Sum: ContentHash(raw)})
	})
}

// eachText calls found with the places of each name in ids and the text of that example.
func (s Source) eachText(ctx context.Context, ids []string, found func(places []int, text string) error) error {
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
			return found(places, values[0])
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

// eachArrayImage encodes images of an array.
func (s Source) eachArrayImage(ids []string, visit func(places []int, o Original) error) error {
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
