package audit

import (
	"fmt"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/training"
)

// Limits of the search for neighbours.
const (
	nearCount = 30     // neighbours of an example
	mostNear  = 60_000 // examples, since the search grows with their square
	likeCount = 20     // examples of a class to which an example is compared
)

// findNear finds the neighbours of the examples of arrays and tables of numbers, whose labels are
// evidence of the example's class. Other data has none: pixels and words say too little of what is
// alike.
func (a *Audit) findNear() error {
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
func (a *Audit) ofImages() (bool, error) {
	kind, err := a.Networks.Source.Stored()
	return kind == dataset.Image && a.Crowd == nil, err
}

// compareClasses finds the images that look like no class, by the features of an encoder. Of texts and tables
// of numbers it is not known whether features tell it.
func (a *Audit) compareClasses(features []float32) (err error) {
	if image, err := a.ofImages(); err != nil || !image {
		return nil //nolint:nilerr // what is not known to be images is not compared
	}
	labels := a.Data.Train.Labels
	a.unusual, err = judging.Unusual(training.ClassDistances(features, labels, len(a.Data.Classes), likeCount), labels)
	return err
}

// search finds the neighbours among features, and the images that look like no class.
func (a *Audit) search(features []float32) error {
	if err := torch.Open(); err != nil {
		if a.Given != nil { // no network is trained: libtorch need not be there
			a.found("the labels of similar examples are not used, since libtorch is not there: losscorr doctor says why", "without libtorch, the labels of similar examples are not used")
			return nil
		}
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if n := a.Data.Train.Len(); n <= mostNear {
		a.near = training.Nearest(features, n, nearCount, a.Data.Train.Group)
	}
	return a.compareClasses(features)
}

// useNear sharpens the clean posteriors by the labels of the neighbours, where these say something new.
func (found *finding) useNear(a Audit) (err error) {
	if a.near == nil {
		return nil
	}
	var others float64
	found.clean, _, others, err = judging.Neighbours(found.clean, a.Data.Train.Labels, a.near, found.estimation.T)
	if err == nil && others > 0 {
		found.posterior += " and neighbours"
		a.Note(fmt.Sprintf("the labels of the %d most similar examples are evidence, too", nearCount))
	}
	return err
}

// compare looks for wrong labels that T does not describe.
func (found *finding) compare(a Audit, clean []float32) error {
	if a.near == nil || clean == nil || found.doubted {
		return nil
	}
	u, err := judging.NewUneven(clean, a.Data.Train.Labels, a.near, found.estimation.T)
	found.uneven = &u
	return err
}
