package published

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
)

// readImages reads a copy of a data set as image files, in a folder or archive with the layout
//
//	train/CLASS/FILE
//	test/CLASS/FILE
//
// perhaps inside one more folder, in the same way as a user's own images. The variant is the encoding of the images,
// by the endings of their names. It is an error if a class has no image in train or test.
func readImages(s archive.Container, opt dataset.Options) (*dataset.Dataset, error) {
	s.Skip = func(name string) bool { split, _ := cutSplit(name); return split < 0 }
	d, err := own.OpenImages(s).Read(context.Background(), opt)
	if err != nil {
		return nil, errors.Unwrap(err) // without the prefix for own data
	}
	encodings := map[string]bool{}
	for k, split := range []*dataset.Split{&d.Train, &d.Test} {
		if class := slices.Index(split.Counts(len(d.Classes)), 0); class >= 0 {
			return nil, fmt.Errorf("%s: no readable image of class %q in %s: want train/CLASS/FILE and test/CLASS/FILE, "+
				"with every class in both", s.Path, d.Classes[class], splits[k])
		}
		for _, name := range split.IDs {
			if _, below := cutSplit(name); len(below) != 2 {
				return nil, fmt.Errorf("%s: %s is in the wrong folder: want %s/CLASS/FILE", s.Path, humanize.Visible(name),
					splits[k])
			}
			encodings[strings.Replace(strings.ToUpper(strings.TrimPrefix(path.Ext(name), ".")), "JPG", "JPEG", 1)] = true
		}
		split.IDs = nil
	}
	d.Variant = strings.Join(slices.Sorted(maps.Keys(encodings)), " and ")
	return d, nil
}

// splits are the folders of an image folder.
var splits = [2]string{"train", "test"}

// cutSplit returns the path below the first folder train or test; split is -1 if there is neither.
func cutSplit(name string) (split int, below []string) {
	parts := strings.Split(name, "/")
	for k, part := range parts {
		if split := slices.Index(splits[:], part); split >= 0 {
			return split, parts[k+1:]
		}
	}
	return -1, nil
}
