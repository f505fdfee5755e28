package published

import (
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
)

// Clothing1M is a million photographs of clothes in 14 classes with labels from the texts
// around them, and 50,000 training, 14,000 validation and 10,000 test images labelled by
// people: Xiao et al., "Learning from Massive Noisy Labeled Data for Image Classification",
// CVPR 2015. The two data sets differ only in their training images; both validate and test
// on people's labels.
//
// The folder has the authors' layout: images in images/, lists of keys, which are paths of
// images, and files with a label for each key.
var (
	clothing1M = clothing{train: "noisy_train_key_list.txt", labels: noisyLabels}.entry("clothing1m",
		"clothing1m-clean")
	clothing1MClean = clothing{train: cleanTrain, labels: cleanLabels}.entry("clothing1m-clean", "")
)

const (
	clothingNames = "category_names_eng.txt"
	noisyLabels   = "noisy_label_kv.txt"
	cleanLabels   = "clean_label_kv.txt"
	cleanTrain    = "clean_train_key_list.txt"
	cleanVal      = "clean_val_key_list.txt"
	cleanTest     = "clean_test_key_list.txt"

	clothingSide = 256 // side of the squares in pixels; training crops 224
)

// clothing is the list of training keys and the file with their labels.
type clothing struct{ train, labels string }

func (c clothing) entry(name, clean string) Entry {
	var marks []mark
	for _, name := range c.lists() {
		marks = append(marks, mark{at: name, from: "."})
	}
	return Entry{
		Name: name, Title: "Clothing1M", Kind: dataset.Image, Validation: true, Streamed: true, Clean: clean,
		folder:  "clothing1m",
		files:   append(c.lists(), clothingNames, "the folder images"),
		source:  "the authors, who send the address on request (https://github.com/Cysu/noisy_label),",
		layouts: []layout{{marks: marks, read: c.read}},
	}
}

// lists returns the files with keys or labels.
func (c clothing) lists() []string {
	list := []string{noisyLabels, cleanLabels, cleanTrain, cleanVal, cleanTest}
	if !slices.Contains(list, c.train) {
		list = append(list, c.train)
	}
	return list
}

func (c clothing) read(s archive.Container, opt dataset.Options) (*dataset.Dataset, error) {
	l, err := loadKeyLists(s.Path, c.lists())
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Files: l.files}
	if d.Classes, err = l.classes(); err != nil {
		return nil, err
	}
	truth, err := l.labels(cleanLabels, len(d.Classes))
	if err != nil {
		return nil, err
	}
	given, err := l.labels(noisyLabels, len(d.Classes))
	if err != nil {
		return nil, err
	}
	labels := truth
	if c.labels == noisyLabels {
		labels = given
	}
	bad := &picture.Broken{Container: s, Allowed: opt.MaxBad}
	for _, split := range []struct {
		list   string
		labels keyLabels
		to     *dataset.Split
	}{{cleanVal, truth, &d.Validation}, {cleanTest, truth, &d.Test}, {c.train, labels, &d.Train}} {
		keys, classes, err := l.keys(split.list, split.labels)
		if err != nil {
			return nil, err
		}
		images := &picture.Files{Root: s.Path, Names: keys, Side: clothingSide, Broken: bad}
		*split.to = dataset.Split{Images: images, Shape: []int{3, clothingSide, clothingSide}, Labels: classes}
		if err := images.Sample(); err != nil {
			return nil, err
		}
	}
	if c.labels == noisyLabels {
		d.Pairs, err = l.pairs(cleanTrain, truth, given)
	}
	return d, err
}
