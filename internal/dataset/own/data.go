package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/rows"
)

// form is the form of a user's own data.
type form int

const (
	labelsOnly form = iota // enough with another model's probabilities
	arrays                 // an NPY file of features [N D] or images [N H W C] or [N H W]
	tables                 // with a column of texts or columns of numbers
	images                 // a folder or an archive of images, annotations, or Parquet with images
)

// formOf returns the form of the data at a path.
func formOf(path string) form {
	switch {
	case path == "":
		return labelsOnly
	case isArray(path):
		return arrays
	case !isAnnotated(path) && !IsEmbedded(path) && rows.Is(path):
		return tables
	}
	return images
}

func isArray(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npy") }

// Data is a user's own data, opened for reading.
type Data struct {
	Source      Source
	form        form
	train, test container // containers of images
}

// Open opens a user's own data. It reads annotations and Parquet with images; Read reads other data.
func Open(s Source) (d *Data, err error) {
	defer within("own data", &err)
	d = &Data{Source: s, form: formOf(s.Path)}
	if d.form != images {
		return d, nil
	}
	if d.train, err = openContainer(s.Path); err == nil && s.Test != "" && formOf(s.Test) == images {
		d.test, err = openContainer(s.Test)
	}
	return d, err
}

// within adds to an error what was read.
func within(what string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("dataset: %s: %w", what, *err)
	}
}

// OpenImages is Open for a folder or archive of images, without the members that c skips.
func OpenImages(c archive.Container) *Data {
	return &Data{Source: Source{Path: c.Path}, form: images, train: container{Container: c}}
}

// Read opens and reads a user's own data.
func Read(ctx context.Context, s Source, opt dataset.Options) (*dataset.Dataset, error) {
	d, err := Open(s)
	if err != nil {
		return nil, err
	}
	return d.Read(ctx, opt)
}

// Read reads the examples with their labels and other columns. Splits have IDs and Labels, numbers of
// Dataset.Classes. Classes are in numeric order if all are whole numbers, else sorted. While it reads, the process's
// GC percentage is 25.
func (d *Data) Read(ctx context.Context, opt dataset.Options) (out *dataset.Dataset, err error) {
	defer within("own data", &err)
	// Otherwise garbage from reading would take as much memory as the data.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	if err := d.Source.check(d.form); err != nil {
		return nil, err
	}
	read := d.readRows
	if d.form == images {
		read = d.readImages
	}
	if out, err = read(ctx, opt); err != nil {
		return nil, err
	}
	out.Name = dataset.OwnName
	return out, nil
}

// check returns an error if the fields contradict each other.
func (s Source) check(f form) error {
	if s.Path == "" && s.Labels == "" {
		return errors.New("no data was given: name its path")
	}
	if err := s.CheckClassNames(); err != nil {
		return fmt.Errorf("--class-names: %w", err)
	}
	if _, err := s.kindOf(f); err != nil {
		return err
	}
	if s.Test != "" && f != formOf(s.Test) {
		return fmt.Errorf("the test set %s has another form than %s: want the same", s.Test, cmp.Or(s.Path, s.Labels))
	}
	if f != tables && (s.Text != "" || len(s.Features) > 0) {
		return fmt.Errorf("%s: only tables have columns of texts and features (--text, --features)", cmp.Or(s.Path, s.Labels))
	}
	if s.Labels != "" && !rows.Is(s.Labels) {
		return s.noTable(s.Labels+" has only labels", f == tables)
	}
	return nil
}

// Names returns the names of the examples in their order. It does not read labels, which people's answers may
// replace, and leaves out the test set of images.
func (s Source) Names(ctx context.Context) (names []string, err error) {
	defer within("own data", &err)
	switch formOf(s.Path) {
	case arrays:
		a, err := openExamples(s.Path)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		return rowNames(a.Shape[0]), nil
	case tables:
		r, err := rows.Open(s.Path)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		t, err := readLabelColumns(ctx, r, labelColumns{id: s.ID})
		if err != nil {
			return nil, err
		}
		t.number()
		return t.ids, nil
	case images:
		tree, err := s.readTree(ctx, false)
		if err != nil {
			return nil, err
		}
		placed, _, err := tree.place(true)
		if err != nil {
			return nil, err
		}
		return dataset.Pick(placed.ids, placed.training()), nil
	}
	return nil, errNoExamples
}

var errNoExamples = errors.New("only labels were given; pass the examples, too")

// rowNames returns names for n examples without any.
func rowNames(n int) []string {
	names := make([]string, n)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	return names
}
