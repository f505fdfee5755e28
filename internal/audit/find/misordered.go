package find

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
)

// misordered says how probabilities of another model that agree with the labels no better than by
// chance may be in another order than these: their columns, where the largest probability of nearly
// each class goes with another label, or their rows, where they are sure of what is not labelled. It is
// empty where neither is so.
func misordered(probabilities []float32, labels []int, classes []string) string {
	n, c := len(labels), len(classes)
	counts := make([][]int, c) // by the class with the largest probability and the given label
	for k := range counts {
		counts[k] = make([]int, c)
	}
	sure := 0.
	for x, k := range correction.Classes(probabilities, c) {
		counts[k][labels[x]]++
		sure += float64(probabilities[x*c+k])
	}
	hits, others, moved := 0, 0, -1
	var seen []int
	for k, row := range counts {
		label := slices.Index(row, slices.Max(row))
		hits, others = hits+row[k], others+row[label]
		if label != k && moved < 0 {
			moved = k
		}
		if !slices.Contains(seen, label) {
			seen = append(seen, label)
		}
	}
	switch {
	case len(seen) == c && 2*others > n && 2*hits < others:
		row := counts[moved]
		return fmt.Sprintf("Their columns seem to be in another order than the classes: where that of %q is the largest, "+
			"most are labelled %q (--classes names them)",
			classes[moved], classes[slices.Index(row, slices.Max(row))])
	case sure/float64(n) > float64(hits)/float64(n)+.4:
		return fmt.Sprintf("Are their rows in the order of the labels? The largest probability of an example is %.0f %% in "+
			"the mean, and in %.0f %% of all cases that of its label. If they are, give those of a better model",
			100*sure/float64(n), 100*float64(hits)/float64(n))
	}
	return ""
}
