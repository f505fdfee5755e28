package report

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// Estimated returns the first result with a T-hat, or an empty one.
func Estimated(runs []*Run) store.Result {
	for _, r := range runs {
		if t := r.Result.Transition; t != nil && t.Estimated != nil {
			return *r.Result
		}
	}
	return store.Result{}
}

// Warnings returns the distinct warnings of runs, such as unreliable rows of T-hat or images that were left out, each
// after its seeds. Runs that share an estimate repeat its warnings.
func Warnings(runs []*Run) []string {
	seeds := make(map[string][]uint64)
	var order []string
	for _, r := range runs {
		for _, w := range r.Result.Warnings {
			if seeds[w] == nil {
				order = append(order, w)
			}
			seeds[w] = append(seeds[w], r.Config.Seed)
		}
	}
	for k, w := range order {
		slices.Sort(seeds[w])
		order[k] = fmt.Sprintf("seed %s: %s", humanize.Ranges(slices.Compact(seeds[w])), w)
	}
	return order
}
