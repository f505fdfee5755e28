package own

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/rows"
)

// storage is a form in which a user's own data lies. A new one is a file with its methods and a line
// in storages.
type storage interface {
	// stored returns the kind of the examples, without reading them whole.
	stored(s Source) (dataset.Kind, error)
	// open reads the examples and what is known of them.
	open(ctx context.Context, s Source, opt dataset.Options) (*dataset.Dataset, error)
	// names returns the names of the examples, without their content.
	names(ctx context.Context, s Source) ([]string, error)
	// originals calls visit with examples as people see them, of a kind that people can look at.
	originals(ctx context.Context, s Source, ids []string, visit func(places []int, o Original) error) error
	// sums returns Original.Sum of examples; nil where no names tell them apart.
	sums(ctx context.Context, s Source, ids []string) ([]uint64, error)
	// byRow reports whether nothing but the order of its rows says which example is which.
	byRow(s Source) bool
	// read reads new examples, to predict.
	read(n *newExamples, paths []string, opt dataset.Options) (skipped []dataset.Skipped, err error)
}

var (
	labelsAlone storage = labelStorage{}
	arrays      storage = arrayStorage{}
	tables      storage = tableStorage{}
	images      storage = imageStorage{}
)

// storages are the forms, with the names of the files that are of each. The first that fits counts.
var storages = []struct {
	holds func(path string) bool
	storage
}{
	{func(path string) bool { return path == "" }, labelsAlone},
	{isArray, arrays},
	{isVirtual, images},
	{rows.Is, tables},
	{func(string) bool { return true }, images},
}

// storageOf returns the form of the examples in a path.
func storageOf(path string) storage {
	for _, form := range storages {
		if form.holds(path) {
			return form.storage
		}
	}
	return images
}

func isArray(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npy") }

// placesOf returns the places of each name.
func placesOf(ids []string) map[string][]int {
	places := make(map[string][]int, len(ids))
	for k, id := range ids {
		places[id] = append(places[id], k)
	}
	return places
}

// sumsOf returns the sums of so many examples of which each finds the content.
func sumsOf(n int, each func(found func(places []int, raw []byte) error) error) ([]uint64, error) {
	sums := make([]uint64, n)
	err := each(func(places []int, raw []byte) error {
		for _, k := range places {
			sums[k] = ContentHash(raw)
		}
		return nil
	})
	return sums, err
}

// rowNames are the names of n examples that have none.
func rowNames(n int) []string {
	names := make([]string, n)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	return names
}
