package run

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train"
)

// Folds returns the fold of each training example, from 1 to c.Folds.Count, or nil without folds. Each fold has about
// the same share of every class. If groups is not nil, examples of one group are in the same fold, and folds have about
// the same size whatever their classes.
func Folds(c config.Config, labels []int, groups []int32) []int {
	if c.Folds.Count == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(config.Stream(c.Seed, "folds"), 0))
	part := make([]int, len(labels))
	if groups != nil {
		members := map[int32][]int{}
		for i, g := range groups {
			members[g] = append(members[g], i)
		}
		order := make([]int32, 0, len(members))
		for g := range members {
			order = append(order, g)
		}
		slices.Sort(order)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		// Large groups first, each into the smallest fold, so that folds end up about equal.
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(len(members[b]), len(members[a])) })
		size := make([]int, c.Folds.Count)
		for _, g := range order {
			smallest := slices.Index(size, slices.Min(size))
			for _, i := range members[g] {
				part[i] = smallest + 1
			}
			size[smallest] += len(members[g])
		}
		return part
	}
	order := rng.Perm(len(labels))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	for k, i := range order {
		part[i] = k%c.Folds.Count + 1
	}
	return part
}

// OutOfFold returns, in order, the training examples of the fold that a run leaves out: the rows of store.LogitsFile.
func OutOfFold(c config.Config, labels []int, groups []int32) []int {
	var rows []int
	for i, part := range Folds(c, labels, groups) {
		if part == c.Folds.Out {
			rows = append(rows, i)
		}
	}
	return rows
}

// writeLeftOut writes the logits of the left-out examples, if any.
func (r *run) writeLeftOut() error {
	if r.Folds.Count == 0 {
		return nil
	}
	rows := OutOfFold(r.Config, r.source.Train.Labels, r.source.Train.Group)
	logits, err := train.Logits(r.model, r.set(rows), r.BatchSize)
	if err != nil {
		return err
	}
	return r.job.Folder.WriteLogits(logits, len(r.source.Classes))
}
