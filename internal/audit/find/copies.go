package find

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/dataset/check"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/similar"
)

// mostCompared is the largest number of images to search for copies by features: the cost grows with its square.
const mostCompared = 100_000

// pairsOfGroups pairs the first example of each group with each of the others.
func pairsOfGroups(groups []check.Duplicates) (pairs []audit.Duplicate) {
	for _, g := range groups {
		for _, e := range g.Examples[1:] {
			pairs = append(pairs, audit.Duplicate{Exact: g.Exact, A: g.Examples[0], B: e})
		}
	}
	return pairs
}

// findCopies adds pairs of images with nearly equal features to the duplicates, since both may be the same
// picture, and sets the cosines of pairs found before. features has those of each split.
func (a *work) findCopies(features [][]float32) error {
	if image, err := a.ofImages(); err != nil || !image || len(features[0]) == 0 {
		return err
	}
	d := len(features[0]) / a.Data.Train.Len()
	all := slices.Concat(features...)
	n := len(all) / d
	if n > mostCompared {
		a.Note(fmt.Sprintf("more than %d images: copies are not searched for by features", mostCompared))
		return nil
	}
	place, group := map[string]int{}, map[int]int{}
	for k := range n {
		e := check.ExampleOf(a.Data, k)
		place[e.Split+" "+e.ID] = k
	}
	for i, p := range a.duplicates {
		x, y := place[p.A.Split+" "+p.A.ID], place[p.B.Split+" "+p.B.ID]
		group[x], group[y] = x+1, x+1 // x begins a group
		similarity := cosine(all[x*d:(x+1)*d], all[y*d:(y+1)*d])
		a.duplicates[i].Similarity = &similarity
	}
	_, boxes := annotations.Of(a.Networks.Source.Path)
	var found []audit.Duplicate
	for _, p := range similar.Copies(all, n) {
		x, y := check.ExampleOf(a.Data, p.A), check.ExampleOf(a.Data, p.B)
		known := group[p.A] > 0 && group[p.A] == group[p.B]
		overlap := boxes && imageOf(x.ID) == imageOf(y.ID) // two boxes of one image may share pixels
		if !known && !overlap {
			found = append(found, audit.Duplicate{Similarity: &p.Cosine, A: x, B: y})
		}
	}
	a.describeCopies(found)
	a.duplicates = append(a.duplicates, found...)
	return nil
}

// imageOf returns the name of the image of a box.
func imageOf(box string) string {
	name, _, _ := strings.Cut(box, "#")
	return name
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for k, v := range a {
		ab, aa, bb = ab+float64(v)*float64(b[k]), aa+float64(v)*float64(v), bb+float64(b[k])*float64(b[k])
	}
	return min(ab/math.Sqrt(max(aa*bb, 1e-24)), 1)
}

// describeCopies adds the pairs found by features to the findings.
func (a *work) describeCopies(found []audit.Duplicate) {
	n := audit.CountDuplicates(found)
	if n == nil {
		return
	}
	first := slices.MinFunc(found, audit.Duplicate.Compare)
	text := fmt.Sprintf("in the data: %s with nearly the same picture, such as %q and %q", humanize.Count(n.Pairs, "pair"),
		first.A.ID, first.B.ID)
	if n.LabelsDiffer > 0 {
		text += fmt.Sprintf("; %d with different labels: check them", n.LabelsDiffer)
	}
	if n.AcrossSplits > 0 {
		text += fmt.Sprintf("; %d across splits: results on the test set look better than they are", n.AcrossSplits)
	}
	a.found(text)
}

// compareFeatures compares the examples by the features of the encoder that judges the labels: each with its
// neighbours, the images with their classes, and with each other to find copies.
func (a *work) compareFeatures(ctx context.Context, networks config.Config) error {
	n := a.Data.Train.Len()
	if n > mostCompared || n <= nearCount {
		return nil
	}
	features, err := run.Features(ctx, networks, dataset.Options{Offline: true, MaxBad: a.maxBad})
	if err != nil || features == nil || len(features[0])%n != 0 {
		return err
	}
	if err := a.search(features[0]); err != nil {
		return err
	}
	return a.findCopies(features)
}
