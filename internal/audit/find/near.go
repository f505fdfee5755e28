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
	nearCount = 30     // neighbours per example
	mostNear  = 60_000 // examples; the cost of the search grows with the square
)

// findNear finds the neighbours of the examples in arrays and tables of numbers, or by a file of features. Their labels
// are evidence of the example's class. Other data has none, since similar pixels or words do not mean the same class.
func (a *work) findNear() (err error) {
	train, n := a.Data.Train, a.Data.Train.Len()
	features := train.Features
	if a.Given != nil && a.Given.Features != "" {
		if features, err = a.Given.readFeatures(n); err != nil {
			return err
		}
	}
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

// ofImages reports whether the data is images with one label each.
func (a *work) ofImages() (bool, error) {
	kind, err := a.Networks.Source.Stored()
	return kind == dataset.Image && a.Crowd == nil, err
}

// compareClasses finds images that look like no class, by the features of an encoder. This has not been
// tested on texts and tables of numbers.
func (a *work) compareClasses(features []float32) (err error) {
	if image, err := a.ofImages(); err != nil || !image {
		return nil //nolint:nilerr // only images are compared
	}
	labels := a.Data.Train.Labels
	a.unusual, err = judging.Unusual(similar.ClassDistances(features, labels, len(a.Data.Classes)), labels)
	return err
}

// search finds the neighbours by features, and the images that look like no class.
func (a *work) search(features []float32) error {
	if err := torch.Open(); err != nil {
		if a.Given != nil { // no network is trained, so libtorch may be missing
			a.found("libtorch is missing, so the labels of similar examples are not used: run losscorr doctor")
			return nil
		}
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if n := a.Data.Train.Len(); n <= mostNear {
		a.near, a.features = similar.Nearest(features, n, nearCount, a.Data.Train.Group), features
	}
	return a.compareClasses(features)
}

// mostWide is the largest number of features for discriminants, whose cost grows with its cube.
const mostWide = 2048

// discriminants returns the function that fits linear discriminants to the features, nil without features.
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

// parts returns each example's part for the discriminants, the same as for the networks.
func (a *work) parts() []int {
	c := a.Networks
	if c.Folds.Count == 0 {
		c.Folds.Count = partsAlone
	}
	return run.Folds(c, a.Data.Train.Labels, a.Data.Train.Group)
}

// partsAlone is the number of parts for discriminants without networks.
const partsAlone = 4
