package checking

import (
	"slices"
)

// BestThreshold returns the probability above which labels are to be flagged so that the expected
// F1 of the flagged ones is about the largest, and that F1. With calibrated probabilities w,
//
//	F1 = 2 sum of w over the flagged / (number of flagged + sum of w)
//
// and the best threshold is half of the best F1 (Lipton et al., 2014). It is 1 with F1 0 if no label
// is wrong.
func BestThreshold(w []float64) (threshold, f1 float64) {
	sorted := slices.Sorted(slices.Values(w))
	total := 0.
	for _, v := range sorted {
		total += v
	}
	threshold = 1
	hits := 0.
	for n, v := range slices.Backward(sorted) {
		hits += v
		if f := 2 * hits / (float64(len(sorted)-n) + total); f > f1 {
			f1 = f
		}
	}
	if f1 > 0 {
		threshold = f1 / 2
	}
	return threshold, f1
}
