package find

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/similar"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// Limits of the search for neighbours.
const (
	nearCount = 30     // neighbours of an example
	mostNear  = 60_000 // examples, since the search grows with their square
)

// findNear finds the neighbours of the examples of arrays and tables of numbers, whose labels are
// evidence of the example's class. Other data has none: pixels and words say too little of what is
// alike.
func (a *work) findNear() error {
	train, n := a.Data.Train, a.Data.Train.Len()
	features := train.Features
	if features == nil && train.Halves != nil && n <= mostNear {
		features = make([]float32, len(train.Halves))
		for k, bits := range train.Halves {
			features[k] = npy.Half(bits)
		}
	}
	if features == nil || n > mostNear || n <= nearCount {
		return nil
	}
	return a.search(features)
}

// ofImages reports whether the labels are those of images, one of each.
func (a *work) ofImages() (bool, error) {
	kind, err := a.Networks.Source.Stored()
	return kind == dataset.Image && a.Crowd == nil, err
}

// compareClasses finds the images that look like no class, by the features of an encoder. Of texts and tables
// of numbers it is not known whether features tell it.
func (a *work) compareClasses(features []float32) (err error) {
	if image, err := a.ofImages(); err != nil || !image {
		return nil //nolint:nilerr // what is not known to be images is not compared
	}
	labels := a.Data.Train.Labels
	a.unusual, err = judging.Unusual(similar.ClassDistances(features, labels, len(a.Data.Classes)), labels)
	return err
}

// search finds the neighbours among features, and the images that look like no class.
func (a *work) search(features []float32) error {
	if err := torch.Open(); err != nil {
		if a.Given != nil { // no network is trained: libtorch need not be there
			a.found("the labels of similar examples are not used, since libtorch is not there: losscorr doctor says why",
				"without libtorch, the labels of similar examples are not used")
			return nil
		}
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if n := a.Data.Train.Len(); n <= mostNear {
		a.near, a.features = similar.Nearest(features, n, nearCount, a.Data.Train.Group), features
	}
	return a.compareClasses(features)
}

// mostWide is the number of features from which on the examples have no discriminants, since their cost grows
// with its cube.
const mostWide = 2048

// discriminants returns what fits linear discriminants of the features, nil where there are none.
func (a *work) discriminants() func(shares []float32, ridges []float64) [][]float32 {
	if a.features == nil || len(a.features) > a.Data.Train.Len()*mostWide {
		return nil
	}
	part := a.parts()
	if len(slices.Compact(slices.Sorted(slices.Values(part)))) < 2 {
		return nil
	}
	return func(shares []float32, ridges []float64) [][]float32 {
		return similar.Discriminants(a.features, shares, part, ridges)
	}
}

// parts are those of the examples for discriminants, the same as the networks'.
func (a *work) parts() []int {
	c := a.Networks
	if c.Folds.Count == 0 {
		c.Folds.Count = partsAlone
	}
	return run.Folds(c, a.Data.Train.Labels, a.Data.Train.Group)
}

// partsAlone is the number of parts for discriminants where there are no networks with parts.
const partsAlone = 4
