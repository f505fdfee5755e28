package correction

import "fmt"

// FromPairs estimates T from examples whose true and given labels are both known,
// as Section 5.3 of the paper does for Clothing1M:
//
//	T[i][j] = #(true i, given j) / #(true i)
//
// pairs holds the true and the given class number of each example, in this order. It is an error if a number is out
// of range or a class has no example, since its row of T is then unknown.
func FromPairs(classes []string, pairs [][2]int) (*Matrix, error) {
	c := len(classes)
	clean, given := make([]int, len(pairs)), make([]int, len(pairs))
	for k, p := range pairs {
		if p[0] < 0 || p[0] >= c || p[1] < 0 || p[1] >= c {
			return nil, fmt.Errorf("correction: pair %d of labels is %v, want two class numbers in [0, %d)", k, p, c)
		}
		clean[k], given[k] = p[0], p[1]
	}
	rows := shares(clean, given, c)
	for i, row := range rows {
		if row == nil {
			return nil, fmt.Errorf("correction: class %s has no example with both labels, so its row of T is unknown",
				classes[i])
		}
	}
	return NewMatrix(classes, rows)
}

// shares returns the share of the examples of each true class i that are labelled j; a row is nil if the class has no
// example.
func shares(clean, given []int, c int) [][]float64 {
	rows, totals := make([][]float64, c), make([]float64, c)
	for k, i := range clean {
		if rows[i] == nil {
			rows[i] = make([]float64, c)
		}
		rows[i][given[k]]++
		totals[i]++
	}
	for i, row := range rows {
		for j := range row {
			row[j] /= totals[i]
		}
	}
	return rows
}
