package correction

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// RowError returns the mean L1 distance of the rows of an estimate from the true ones, in [0, 2]:
//
//	1/c sum_i sum_j |est_ij - truth_ij|
//
// Panics if the dimensions differ.
func RowError(est, truth *Matrix) float64 {
	sum := 0.
	for i := range truth.Dim() {
		sum += RowDistance(est, truth, i, i)
	}
	return sum / float64(truth.Dim())
}

// RowsPermuted reports whether the rows of est are under the wrong names, that is, whether some permutation of them
// has a lower RowError. This happens with argmax if T_ki > T_ii for some k, because the examples with the largest
// posterior of i then belong to class k.
//
// Panics if the dimensions differ.
func RowsPermuted(est, truth *Matrix) bool {
	cost := make([][]float64, truth.Dim())
	for i := range cost {
		for j := range cost {
			cost[i] = append(cost[i], RowDistance(est, truth, i, j))
		}
	}
	own, best := 0.0, 0.0
	for i, j := range Assign(cost) {
		own += cost[i][i]
		best += cost[i][j]
	}
	// Sums in another order differ by rounding errors.
	return own-best > 1e-9*math.Max(1, own)
}

// RowDistance returns the L1 distance of row i of a from row j of b. Panics if the dimensions differ.
func RowDistance(a, b *Matrix, i, j int) float64 {
	if a.Dim() != b.Dim() {
		panic(fmt.Sprintf("correction: compare matrices of %d and %d classes", a.Dim(), b.Dim()))
	}
	return floats.Distance(a.t.RawRowView(i), b.t.RawRowView(j), 1)
}
