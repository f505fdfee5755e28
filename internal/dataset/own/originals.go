package own

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"image"
	"image/png"
	"io/fs"
	"strings"

	"golang.org/x/image/bmp"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/rows"
)

// Original is an example before it becomes the input of a network.
type Original struct {
	Text  string // of a text
	Image []byte // of an image: JPEG, PNG, GIF or WebP, at most 8 MiB
	MIME  string // of Image
	Sum   uint64 // hash of the content in the source; 0 if nothing was read
}

// blob is the content of an example: a text, the file of an image, or the pixels of a box. An image in an array has
// both bytes and pixels.
type blob struct {
	raw    []byte
	pixels image.Image
	isText bool
}

// sum returns the hash of the content; a box is hashed as a BMP file.
func (b blob) sum() (uint64, error) {
	if b.raw != nil {
		return ContentHash(b.raw), nil
	}
	var file bytes.Buffer
	err := bmp.Encode(&file, b.pixels)
	return ContentHash(file.Bytes()), err
}

// ContentHash returns the first bytes of a hash of an example's content in the source. It is never 0.
func ContentHash(raw []byte) uint64 {
	hash := sha256.Sum256(raw)
	return max(1, binary.LittleEndian.Uint64(hash[:]))
}

// original returns the Original, which is zero for a broken image.
func (b blob) original() (o Original, err error) {
	switch {
	case b.isText:
		o.Text = string(b.raw)
	case b.pixels == nil:
		if o.Image, o.MIME, err = picture.Preview(b.raw); o.Image == nil || err != nil {
			return Original{}, err
		}
	case b.raw == nil:
		o.Image, o.MIME, err = picture.PreviewImage(b.pixels)
	default:
		var file bytes.Buffer
		err = png.Encode(&file, b.pixels)
		o.Image, o.MIME = file.Bytes(), "image/png"
	}
	if err == nil {
		o.Sum, err = b.sum()
	}
	return o, err
}

// Originals returns training examples as people see them, by name. It is zero for vectors of features and for missing
// or broken examples.
func (d *Data) Originals(ctx context.Context, ids []string) ([]Original, error) {
	originals := make([]Original, len(ids))
	err := d.EachOriginal(ctx, ids, func(k int, o Original) error {
		originals[k] = o
		return nil
	})
	if err != nil {
		return nil, err
	}
	return originals, nil
}

// Looker returns [Data.Originals] of a source. If the data cannot be opened, each call returns the error.
func Looker(s Source) func(ctx context.Context, ids []string) ([]Original, error) {
	d, err := Open(s)
	return func(ctx context.Context, ids []string) ([]Original, error) {
		if err != nil {
			return nil, err
		}
		return d.Originals(ctx, ids)
	}
}

// EachOriginal is Originals for many examples. It calls visit with the place in ids and the example, one at a time
// and in any order, and skips zero ones.
func (d *Data) EachOriginal(ctx context.Context, ids []string, visit func(k int, o Original) error) error {
	return d.each(ctx, ids, func(k int, b blob) error {
		o, err := b.original()
		if err == nil && o.Sum != 0 {
			err = visit(k, o)
		}
		return err
	})
}

// EachOriginal opens the data for [Data.EachOriginal].
func (s Source) EachOriginal(ctx context.Context, ids []string, visit func(k int, o Original) error) error {
	d, err := Open(s)
	if err != nil {
		return err
	}
	return d.EachOriginal(ctx, ids, visit)
}

// Sums returns Original.Sum of training examples by name, or nil for arrays, numbers and only labels. An unreadable
// example has the sum 0.
func (d *Data) Sums(ctx context.Context, ids []string) ([]uint64, error) {
	kind, err := d.Source.stored(d.form)
	if err == nil && kind == dataset.Vector || d.form == arrays || d.form == labelsOnly {
		return nil, nil
	}
	sums := make([]uint64, len(ids))
	if d.train.sums != nil {
		for k, id := range ids {
			sums[k] = d.train.sums[id]
		}
		return sums, nil
	}
	err = d.each(ctx, ids, func(k int, b blob) (err error) {
		sums[k], err = b.sum()
		return err
	})
	return sums, err
}

// each calls visit with the place in ids and the content of texts and images in the training set, in any order. It
// leaves out missing ones.
func (d *Data) each(ctx context.Context, ids []string, visit func(k int, b blob) error) (err error) {
	defer within("own data", &err)
	kind, err := d.Source.stored(d.form)
	switch {
	case err != nil || kind == dataset.Vector || d.form == labelsOnly:
		return err
	case d.form == images:
		return d.train.each(ctx, ids, visit)
	case d.form == arrays:
		return d.Source.eachPixels(ids, visit)
	}
	return d.Source.eachText(ctx, ids, visit)
}

// namePlaces is the places by name.
type namePlaces map[string][]int

func placesOf(ids []string) namePlaces {
	w := make(namePlaces, len(ids))
	for k, id := range ids {
		w[id] = append(w[id], k)
	}
	return w
}

// found calls visit for all places of a name.
func (w namePlaces) found(name string, b blob, visit func(k int, b blob) error) error {
	for _, k := range w[name] {
		if err := visit(k, b); err != nil {
			return err
		}
	}
	return nil
}

func (s Source) eachText(ctx context.Context, ids []string, visit func(k int, b blob) error) error {
	var texts [][]byte
	t, err := s.readTableWith(ctx, func(*rows.Reader) ([]column, error) {
		return []column{{s.Text, func(text string) error {
			texts = append(texts, []byte(text))
			return nil
		}}}, nil
	})
	if err != nil {
		return err
	}
	wanted := placesOf(ids)
	for row, id := range t.ids {
		if err := wanted.found(id, blob{raw: texts[row], isText: true}, visit); err != nil {
			return err
		}
	}
	return nil
}

func (s Source) eachPixels(ids []string, visit func(k int, b blob) error) error {
	a, err := openExamples(s.Path)
	if err != nil {
		return err
	}
	defer a.Close()
	t, err := s.readArrayLabels(a.Shape[0])
	if err != nil {
		return err
	}
	wanted := placesOf(ids)
	for row, id := range t.ids {
		if len(wanted[id]) == 0 {
			continue
		}
		raw, err := a.Row(row)
		if err == nil {
			err = wanted.found(id, blob{raw: raw, pixels: asImage(raw, a.Shape[2], a.Shape[1])}, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls visit with images by name. Each call reads a .tar.gz from the beginning, so one call should ask for
// many.
func (c container) each(ctx context.Context, ids []string, visit func(k int, b blob) error) error {
	wanted := placesOf(ids)
	if c.IsFolder() {
		files := picture.Files{Root: c.Path}
		for name := range wanted {
			if err := ctx.Err(); err != nil {
				return err
			}
			raw, problem, err := files.Load(name)
			if err == nil && problem == nil {
				err = wanted.found(name, blob{raw: raw}, visit)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	left := len(wanted)
	return c.Walk(func(m archive.Member) error {
		switch {
		case left == 0:
			return fs.SkipAll
		case wanted[m.Name] == nil:
			return ctx.Err()
		}
		left--
		if m.Image != nil {
			pixels, err := m.Image()
			if err != nil { // a broken image
				return nil //nolint:nilerr // is left out
			}
			return wanted.found(m.Name, blob{pixels: pixels}, visit)
		}
		raw, err := m.Read()
		if err != nil {
			return err
		}
		return wanted.found(m.Name, blob{raw: raw}, visit)
	})
}

// Fingerprint changes when the examples or labels do, including the test set's. It hashes the contents of files, and
// the names, sizes and times of change in folders.
func (d *Data) Fingerprint() (_ string, err error) {
	defer within("own data", &err)
	var all []string
	for _, path := range d.Source.files() {
		sum, err := d.fingerprint(path)
		if err != nil {
			return "", err
		}
		all = append(all, sum)
	}
	return strings.Join(all, " "), nil
}

func (d *Data) fingerprint(path string) (string, error) {
	for _, c := range []container{d.train, d.test} {
		if c.Path == path && len(c.labels) > 0 {
			return c.Fingerprint()
		}
	}
	return archive.Fingerprint(path)
}

// Fingerprint opens the data for [Data.Fingerprint].
func (s Source) Fingerprint() (string, error) {
	d, err := Open(s)
	if err != nil {
		return "", err
	}
	return d.Fingerprint()
}
