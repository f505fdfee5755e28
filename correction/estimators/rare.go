package estimators

// Limits of isRare.
const (
	rareLabels = 20  // as many as a row of T is counted from at least
	rareShare  = 10. // of the mean number of labels of a class: less than one in so many
)

// isRare reports the classes with too few labels for a row of T: those with fewer than 20 labels
// and with less than a tenth of the mean number of labels of a class, as a misspelt label makes them. If
// fewer than two classes would be left, none is.
func isRare(labels []int, c int) []bool {
	count := make([]int, c)
	for _, y := range labels {
		count[y]++
	}
	few, left := make([]bool, c), c
	for k, n := range count {
		if few[k] = n < rareLabels && rareShare*float64(n*c) < float64(len(labels)); few[k] {
			left--
		}
	}
	if left < 2 {
		clear(few)
	}
	return few
}
