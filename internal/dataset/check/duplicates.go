package check

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"runtime"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/guard"
	"golang.org/x/sync/errgroup"
)

// Duplicates is a group of examples that are the same or nearly the same.
type Duplicates struct {
	// Exact means that all are equal: images after resizing, texts in all words.
	Exact        bool      `json:"exact"`
	LabelsDiffer bool      `json:"labels_differ"`
	AcrossSplits bool      `json:"across_splits"`
	Examples     []Example `json:"examples"`
}

// Example is a member of a group.
type Example struct {
	Split string `json:"split"` // train, validation or test
	Row   int    `json:"row"`   // in the split
	ID    string `json:"id"`    // its name, or Row if it has none
	Label string `json:"label"`
}

// exactKey is a hash of the content of an example.
type exactKey = [16]byte

// duplicateFinder holds the keys of all splits' examples, one split after the other.
type duplicateFinder struct {
	data   *dataset.Dataset
	exact  []exactKey
	images []thumbnail // if the examples are images
	skip   []bool      // unreadable images
}

var splitOrder = []string{"train", "validation", "test"}

// findDuplicates returns the groups, and the unreadable images of splits with Images.
func findDuplicates(ctx context.Context, d *dataset.Dataset, opt dataset.Options) (groups []Duplicates,
	bad []dataset.Skipped, err error) {
	if d.Train.Images == nil && d.Train.Shape == nil {
		return nil, nil, nil // only labels, for given probabilities
	}
	f := &duplicateFinder{data: d}
	for _, s := range d.Splits() {
		if s.Images == nil {
			err = f.addMemory(ctx, s)
		} else {
			err = f.addImages(ctx, s, opt)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	bad = f.skipBad()
	return f.groups(), bad, nil
}

// addMemory adds the examples of a split that is in memory.
func (f *duplicateFinder) addMemory(ctx context.Context, s *dataset.Split) error {
	start, n := len(f.exact), s.Len()
	f.exact = append(f.exact, make([]exactKey, n)...)
	image := s.X != nil && len(s.Shape) == 3
	if image {
		f.images = append(f.images, make([]thumbnail, n)...)
	}
	const chunk = 512
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < n; from += chunk {
		group.Go(guard.Func(func() error {
			var raw []byte
			for k := from; k < min(from+chunk, n); k++ {
				if s.WordSums != nil { // tokens do not distinguish rare words
					f.exact[start+k] = s.WordSums[k]
					continue
				}
				raw = content(raw[:0], s, k)
				f.exact[start+k] = hashOf(raw)
				if image {
					f.images[start+k] = newThumbnail(raw, s.Shape)
				}
			}
			return ctx.Err()
		}))
	}
	return group.Wait()
}

func hashOf(raw []byte) exactKey {
	sum := sha256.Sum256(raw)
	return exactKey(sum[:16])
}

// addImages adds a split whose images must be read.
func (f *duplicateFinder) addImages(ctx context.Context, s *dataset.Split, opt dataset.Options) error {
	rows := make([]int64, s.Len())
	for k := range rows {
		rows[k] = int64(k)
	}
	size, done := s.Size(), 0
	for pixels, err := range s.Images.Batches(rows, 32) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		for one := range slices.Chunk(pixels, size) {
			f.exact = append(f.exact, hashOf(one))
			f.images = append(f.images, newThumbnail(one, s.Shape))
			done++
		}
		if opt.Progress != nil {
			opt.Progress("comparing images", done, len(rows))
		}
	}
	return nil
}

// skipBad leaves out the bad images, which are all the same grey, and returns them.
func (f *duplicateFinder) skipBad() (all []dataset.Skipped) {
	for _, s := range f.data.Splits() {
		names := map[string]bool{}
		if s.Images != nil {
			bad := s.Images.Bad()
			all = append(all, bad...)
			for _, b := range bad {
				names[b.Name] = true
			}
		}
		for k := range s.Len() {
			f.skip = append(f.skip, s.IDs != nil && names[s.IDs[k]])
		}
	}
	return all
}

// groups joins equal examples, and then one example of each group with nearly equal ones.
func (f *duplicateFinder) groups() []Duplicates {
	sets := make(disjoint, len(f.exact))
	for k := range sets {
		sets[k] = int32(k)
	}
	first := make(map[exactKey]int32, len(f.exact))
	var distinct []int32
	for k, key := range f.exact {
		if f.skip[k] {
			continue
		}
		if same, ok := first[key]; ok {
			sets.join(same, int32(k))
			continue
		}
		first[key] = int32(k)
		distinct = append(distinct, int32(k))
	}
	near := map[int32]bool{} // examples that are only nearly equal to another one
	pair := func(a, b int32) {
		sets.join(a, b)
		near[a], near[b] = true, true
	}
	if len(f.images) > 0 && len(f.images) == len(f.exact) {
		nearImages(f.images, distinct, pair)
	}
	members := map[int32][]int32{}
	for k := range f.exact {
		root := sets.find(int32(k))
		members[root] = append(members[root], int32(k))
	}
	var groups []Duplicates
	for _, root := range slices.Sorted(maps.Keys(members)) {
		if all := members[root]; len(all) > 1 {
			groups = append(groups, f.describe(all, near))
		}
	}
	slices.SortStableFunc(groups, func(a, b Duplicates) int {
		return cmp.Compare(a.weight(), b.weight())
	})
	return groups
}

func (f *duplicateFinder) describe(members []int32, near map[int32]bool) Duplicates {
	g := Duplicates{Exact: true}
	for _, k := range members {
		g.Exact = g.Exact && !near[k]
		e := ExampleOf(f.data, int(k))
		g.Examples = append(g.Examples, e)
		g.LabelsDiffer = g.LabelsDiffer || e.Label != g.Examples[0].Label
		g.AcrossSplits = g.AcrossSplits || e.Split != g.Examples[0].Split
	}
	return g
}

// weight orders groups: with different labels, across splits, others; exact ones before near ones.
func (g Duplicates) weight() int {
	w := 4
	if g.LabelsDiffer {
		w = 0
	} else if g.AcrossSplits {
		w = 2
	}
	if !g.Exact {
		w++
	}
	return w
}

// ExampleOf returns example k of a data set, counted over all splits. Panics if k is out of range.
func ExampleOf(d *dataset.Dataset, k int) Example {
	for i, s := range d.Splits() {
		if k < s.Len() {
			return Example{Split: splitOrder[i], Row: k, ID: s.ID(k), Label: d.Classes[s.Labels[k]]}
		}
		k -= s.Len()
	}
	panic("dataset: no such example")
}

// disjoint is a set of disjoint sets of numbers.
type disjoint []int32

func (d disjoint) find(k int32) int32 {
	for d[k] != k {
		d[k] = d[d[k]]
		k = d[k]
	}
	return k
}

func (d disjoint) join(a, b int32) {
	a, b = d.find(a), d.find(b)
	d[max(a, b)] = min(a, b)
}
