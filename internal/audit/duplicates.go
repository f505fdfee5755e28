package audit

import (
	"cmp"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset/check"
)

// Duplicate is a line of duplicates.csv: two examples that are the same or nearly the same.
type Duplicate struct {
	Exact      bool     // images are equal after resizing, texts in all words
	Similarity *float64 // cosine between the features of a view's encoder; nil if there are none
	A, B       Member
}

// Member is one example of a Duplicate. Examples of the test set are not judged.
type Member = check.Example

// LabelsDiffer reports whether the labels differ, so that one of them must be wrong if both examples show
// the same thing.
func (d Duplicate) LabelsDiffer() bool { return d.A.Label != d.B.Label }

// AcrossSplits reports whether the examples are in different splits, so that a network has seen a test
// example in training.
func (d Duplicate) AcrossSplits() bool { return d.A.Split != d.B.Split }

// Duplicates counts the lines of duplicates.csv.
type Duplicates struct {
	Pairs        int `json:"pairs"`
	Exact        int `json:"exact"`
	LabelsDiffer int `json:"labels_differ"`
	AcrossSplits int `json:"across_splits"`
}

// Kind is 0 for a pair with different labels, 1 for another pair across splits, and 2 for other pairs.
func (d Duplicate) Kind() int {
	switch {
	case d.LabelsDiffer():
		return 0
	case d.AcrossSplits():
		return 1
	}
	return 2
}

// Compare orders pairs by their kind, then by falling similarity.
func (d Duplicate) Compare(y Duplicate) int {
	similarity := func(d Duplicate) float64 {
		switch {
		case d.Exact:
			return 2
		case d.Similarity == nil:
			return 0
		}
		return *d.Similarity
	}
	return cmp.Or(cmp.Compare(d.Kind(), y.Kind()), cmp.Compare(similarity(y), similarity(d)))
}

// CountDuplicates counts pairs, or returns nil if there are none.
func CountDuplicates(all []Duplicate) *Duplicates {
	if len(all) == 0 {
		return nil
	}
	count := Duplicates{Pairs: len(all)}
	for _, d := range all {
		if d.Exact {
			count.Exact++
		}
		if d.LabelsDiffer() {
			count.LabelsDiffer++
		}
		if d.AcrossSplits() {
			count.AcrossSplits++
		}
	}
	return &count
}

// WriteDuplicates writes duplicates.csv in the order of Compare, or nothing if there are no pairs.
func (f *Folder) WriteDuplicates(all []Duplicate) error {
	if len(all) == 0 {
		return nil
	}
	all = slices.SortedStableFunc(slices.Values(all), Duplicate.Compare)
	return writeTable(f, DuplicatesFile, all, func(d Duplicate) []string {
		kind := "near"
		if d.Exact {
			kind = "exact"
		}
		return []string{kind, decimal(d.Similarity, 4), d.A.ID, d.A.Split, d.A.Label, d.B.ID, d.B.Split, d.B.Label}
	})
}
