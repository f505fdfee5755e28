package estimators

import "slices"

// Limits of byRarity.
const (
	rareLabels = 20  // as many as a row of T is counted from at least
	rareShare  = 10. // of the mean number of labels of a class: less than one in so many
)

// byRarity divides the classes. Rare ones have too few labels for a row of T: fewer than 20 labels and less than a
// tenth of the mean number of labels of a class, as a misspelt label makes them. If fewer than two classes would be
// left, none is rare.
func byRarity(labels []int, c int) (kept, rare []int) {
	count := make([]int, c)
	for _, y := range labels {
		count[y]++
	}
	for k, n := range count {
		if n < rareLabels && rareShare*float64(n*c) < float64(len(labels)) {
			rare = append(rare, k)
		} else {
			kept = append(kept, k)
		}
	}
	if len(kept) < 2 {
		return slices.Sorted(slices.Values(slices.Concat(kept, rare))), nil
	}
	return kept, rare
}
