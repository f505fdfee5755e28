package find

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
)

// misordered returns a hint if another model's probabilities agree with the labels only by chance and
// seem to be in another order: the columns, if the largest probability of nearly each class goes with
// another label, or the rows, if confident predictions are rarely the label. Otherwise it returns "".
func misordered(probabilities []float32, labels []int, classes []string) string {
	n, c := len(labels), len(classes)
	counts := make([][]int, c) // [predicted class, given label]
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
		return fmt.Sprintf("Their columns seem to be in another order than the classes: examples whose largest "+
			"probability is %q are mostly labelled %q; name the columns with --classes",
			classes[moved], classes[slices.Index(row, slices.Max(row))])
	case sure/float64(n) > float64(hits)/float64(n)+.4:
		return fmt.Sprintf("Check that their rows are in the order of the labels: the largest probability is %.0f %% on "+
			"average, but only %.0f %% of the predictions are the label. If the order is right, use a better model",
			100*sure/float64(n), 100*float64(hits)/float64(n))
	}
	return ""
}
