package estimators

import "slices"

// Limits of byRarity.
const (
	rareLabels = 20  // least number of labels that a row of T is counted from
	rareShare  = 10. // a rare class has less than 1/rareShare of the mean number of labels
)

// byRarity splits the classes into kept and rare ones. Rare classes, such as misspelt labels, have too few labels for
// a row of T: fewer than 20 and less than a tenth of the mean over classes. No class is rare if fewer than two would
// be kept.
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
