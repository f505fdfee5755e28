package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/rows"
)

// Source says where a user's own examples and labels are. The empty fields have
// defaults that suit most data; see the package's documentation.
type Source struct {
	// a folder or archive of images, a table (CSV, TSV, JSON lines, Parquet), or an NPY file of features [N D] or of
	// images [N H W C]
	Path string `yaml:"path,omitempty" json:"path,omitempty"`
	// a file of the labels, where path has none or other ones: a table with the columns id and label, an NPY file, or text
	// with one label per line; the latter two in the order of the examples
	Labels string `yaml:"labels,omitempty" json:"labels,omitempty"`
	// a test set in the form of path, where path has none
	Test       string `yaml:"test,omitempty" json:"test,omitempty"`
	TestLabels string `yaml:"test_labels,omitempty" json:"test_labels,omitempty"` // labels of test

	// a pretrained network, whose outputs for the images are the features that are learned from: FILE.pt2 of
	// torch.export.save, or ResNet-50's weights as safetensors
	Backbone string `yaml:"backbone,omitempty" json:"backbone,omitempty"`

	// features that are learned from in place of the data: tfidf of texts
	View string `yaml:"view,omitempty" json:"view,omitempty"`

	// The columns of tables.

	Label string `yaml:"label,omitempty" json:"label,omitempty"` // column of the given label; empty: label
	// column of the names of the examples; empty: file_name or id for images and where a table and its labels both have
	// it, else the numbers of the rows, from 0
	ID   string `yaml:"id,omitempty" json:"id,omitempty"`
	Text string `yaml:"text,omitempty" json:"text,omitempty"` // column of the text
	// columns of numbers: names, or first-last for a range of columns
	Features []string `yaml:"features,omitempty" json:"features,omitempty"`
	Split    string   `yaml:"split,omitempty" json:"split,omitempty"` // column with train, val or test
	// column of the true label, empty where it is not known
	Truth string `yaml:"truth,omitempty" json:"truth,omitempty"`
	// column with 1, true or yes where the given label is known to be right
	Trusted string `yaml:"trusted,omitempty" json:"trusted,omitempty"`
	// column that is the same for examples that belong together, which stay in one fold
	Group string `yaml:"group,omitempty" json:"group,omitempty"`

	// names of classes whose labels are whole numbers, each as NUMBER=NAME; a class without one keeps its number
	ClassNames []string `yaml:"class_names,omitempty" json:"class_names,omitempty"`

	// height and width to which images are resized; 0: their own size if all have the same one of at most 64 pixels, else
	// 64
	Side int `yaml:"side,omitempty" json:"side,omitempty"`
	// number of words that have a vector; 0: 20000
	Vocabulary int `yaml:"vocabulary,omitempty" json:"vocabulary,omitempty"`
	// how many of the last words of a text are used; 0: 400, or the length of the longest text if that is shorter
	Words int `yaml:"words,omitempty" json:"words,omitempty"`
}

// Kind returns the kind of the examples that a network takes: Vector for the features
// of a view or those that Backbone computes of images, else Stored.
func (s Source) Kind() (dataset.Kind, error) {
	kind, err := s.Stored()
	if s.View != "" && err == nil {
		return dataset.Vector, nil
	}
	if s.Backbone == "" || err != nil {
		return kind, err
	}
	if kind != dataset.Image {
		return 0, fmt.Errorf("%s holds %s: a backbone computes features of images", s.Path, kindNames[kind])
	}
	return dataset.Vector, nil
}

// Stored returns the kind of the examples as they lie in the source, by its form and
// without reading it whole: Text where a column of text is named, Vector for columns of
// features and for NPY files [N D], Image otherwise.
func (s Source) Stored() (dataset.Kind, error) { return storageOf(s.Path).stored(s) }

// Open reads a user's own data. Splits have IDs, and Labels that are numbers of
// Dataset.Classes, which are in the order of their numbers if all of them are whole
// numbers, else sorted. Labels are as given: T, if any, is to be estimated. While it reads,
// the process's GC percentage is 25.
func Open(ctx context.Context, s Source, opt dataset.Options) (*dataset.Dataset, error) {
	d, err := openOwn(ctx, s, opt)
	if err != nil {
		return nil, fmt.Errorf("dataset: own data: %w", err)
	}
	d.Name = dataset.OwnName
	return d, nil
}

func openOwn(ctx context.Context, s Source, opt dataset.Options) (*dataset.Dataset, error) {
	if s.Path == "" && s.Labels == "" {
		return nil, errors.New("no path: where are the examples?")
	}
	if err := s.CheckClassNames(); err != nil {
		return nil, fmt.Errorf("--class-names: %w", err)
	}
	if _, err := s.Kind(); err != nil {
		return nil, err
	}
	form := storageOf(s.Path)
	if s.Test != "" && form != storageOf(s.Test) {
		return nil, fmt.Errorf("%s is a test set of another form than %s: want the same", s.Test, cmp.Or(s.Path, s.Labels))
	}
	if form != tables && (s.Text != "" || len(s.Features) > 0) {
		return nil, fmt.Errorf("%s: columns of texts and features (--text, --features) are of tables",
			cmp.Or(s.Path, s.Labels))
	}
	if s.Labels != "" && !rows.Is(s.Labels) {
		if err := s.noTable(s.Labels+" has labels only", form == tables); err != nil {
			return nil, err
		}
	}
	// The collector would let the rows that were read take as much memory as the data.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	d, err := form.open(ctx, s, opt)
	if err == nil && form != images { // which lack more than labels
		err = tooManyMissing(cmp.Or(s.Labels, s.Path), d.Skipped, opt.MaxBad)
	}
	return d, err
}

// hash adds the hashes of the files of the source to those of a data set.
func (s Source) hash(d *dataset.Dataset) error {
	for _, path := range s.files() {
		f, err := fileOf(path)
		if err != nil {
			return err
		}
		d.Files = append(d.Files, f)
	}
	return nil
}

// Original is an example as it was before it became the input of a network.
type Original struct {
	Text  string // of an example of text
	Image []byte // of an image: JPEG, PNG, GIF or WebP, at most 8 MiB
	MIME  string // of Image
	Sum   uint64 // of the content in the source: another one where that is other; 0 where nothing was read
}

// Originals returns training examples as people see them, by their names. An example that
// has no such form, such as a vector of features, and one that is no longer there or broken are
// the zero Original.
func (s Source) Originals(ctx context.Context, ids []string) ([]Original, error) {
	originals := make([]Original, len(ids))
	err := s.EachOriginal(ctx, ids, func(k int, o Original) error {
		originals[k] = o
		return nil
	})
	if err != nil {
		return nil, err
	}
	return originals, nil
}

// EachOriginal is Originals for many examples: it calls visit with the place in ids of each one
// that has such a form and with the example, one at a time and in any order.
func (s Source) EachOriginal(ctx context.Context, ids []string, visit func(k int, o Original) error) error {
	kind, err := s.Stored()
	if err == nil && kind != dataset.Vector {
		err = storageOf(s.Path).originals(ctx, s, ids, func(places []int, o Original) error {
			for _, k := range places {
				if err := visit(k, o); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("dataset: own data: %w", err)
	}
	return nil
}
