package correction

import "fmt"

// FromPairs estimates T from examples whose true and given labels are both known,
// as Section 5.3 of the paper does for Clothing1M:
//
//	T[i][j] = #(true i, given j) / #(true i)
//
// pairs holds the two class numbers of each example, the true one first. It is an
// error if a number is out of range, or if a class has no example: its row of T
// is then unknown.
func FromPairs(classes []string, pairs [][2]int) (*Matrix, error) {
	c := len(classes)
	counts := make([][]float64, c)
	for i := range counts {
		counts[i] = make([]float64, c)
	}
	totals := make([]float64, c)
	for k, p := range pairs {
		if p[0] < 0 || p[0] >= c || p[1] < 0 || p[1] >= c {
			return nil, fmt.Errorf("correction: pair %d of labels is %v, want two class numbers in [0, %d)", k, p, c)
		}
		counts[p[0]][p[1]]++
		totals[p[0]]++
	}
	for i, row := range counts {
		if totals[i] == 0 {
			return nil, fmt.Errorf("correction: no example with both labels belongs to class %s: its row of T is unknown", classes[i])
		}
		for j := range row {
			row[j] /= totals[i]
		}
	}
	return NewMatrix(classes, counts)
}
