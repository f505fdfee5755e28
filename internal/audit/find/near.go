package find

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/run/train"
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
	a.unusual, err = judging.Unusual(train.ClassDistances(features, labels, len(a.Data.Classes)), labels)
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
		a.near, a.features = train.Nearest(features, n, nearCount, a.Data.Train.Group), features
	}
	return a.compareClasses(features)
}

// ridges are those of the discriminants, of which the labels choose one.
var ridges = []float64{.1, .3, 1, 3}

// middle is the one of them by which NewUneven looks.
const middle = .3

// sharp are clean posteriors that know what similar examples say.
type sharp struct {
	g             []float32
	how           string    // which of neighbours and discriminants say something new
	discriminants []float32 // nil without
}

// rounds is how often discriminants are fitted, each time to what the last ones say of the true labels.
const rounds = 3

// mostWide is the number of features from which on the examples have no discriminants, since their cost grows
// with its cube.
const mostWide = 2048

// sharpen sharpens clean posteriors by what similar examples say where they say something new: by the labels of the
// neighbours, then by linear discriminants.
func (a *Audit) sharpen(clean []float32, t *correction.Matrix) (s sharp, err error) {
	if a.near == nil {
		return sharp{g: clean}, nil
	}
	labels, n := a.Data.Train.Labels, a.Data.Train.Len()
	var others float64
	if s.g, _, others, err = judging.Neighbours(clean, labels, a.near, t); err != nil {
		return s, err
	}
	if others > 0 {
		s.how = " and neighbours"
	}
	part := a.parts()
	if a.features == nil || len(a.features) > n*mostWide || len(slices.Compact(slices.Sorted(slices.Values(part)))) < 2 {
		return s, nil
	}
	err = a.discriminate(&s, part, t)
	return s, err
}

// discriminate sharpens posteriors by linear discriminants of the features, where they say something new. All ridges are
// tried in the first round. The one that the labels choose is fitted again: from the second round on the labels of a
// part are known, by way of the other parts, to what judges it, and the loss flatters small ridges.
func (a *Audit) discriminate(s *sharp, part []int, t *correction.Matrix) error {
	labels, before, tried := a.Data.Train.Labels, s.g, ridges
	for round := range rounds {
		z := train.Discriminants(a.features, judging.TrueLabels(s.g, labels, t), part, tried)
		if round < 2 {
			s.discriminants = z[slices.Index(tried, middle)]
		}
		if round > 0 {
			z = z[:1]
		}
		b, err := judging.Blend(before, labels, z, t)
		if err != nil || b.Used < 0 {
			return err
		}
		s.g, tried = b.G, []float64{tried[b.Used]}
		if round == 0 {
			s.how += " and discriminants"
			if tried[0] != middle {
				tried = append(tried, middle)
			}
		}
	}
	return nil
}

// parts are those of the examples for discriminants, the same as the networks'.
func (a *Audit) parts() []int {
	c := a.Networks
	if c.Folds.Count == 0 {
		c.Folds.Count = partsAlone
	}
	return run.Folds(c, a.Data.Train.Labels, a.Data.Train.Group)
}

// partsAlone is the number of parts for discriminants where there are no networks with parts.
const partsAlone = 4

// compare looks for wrong labels that T does not describe, by clean posteriors and discriminants.
func (found *finding) compare(a Audit, clean, discriminants []float32) error {
	if a.near == nil || clean == nil || found.doubted {
		return nil
	}
	u, err := judging.NewUneven(clean, discriminants, a.Data.Train.Labels, a.near, found.estimation.T)
	found.uneven = &u
	return err
}
