package correction

import "math"

// Assign solves the assignment problem: it gives each row of a square cost matrix a column of its own such that the
// sum of the costs is least.
//
// The algorithm is the Hungarian method with potentials (Kuhn 1955, Munkres 1957), in O(c^3): rows enter one at a
// time, each along a shortest augmenting path.
func Assign(cost [][]float64) []int {
	c := len(cost)
	// Index 0 is a dummy row and column; rows and columns count from 1.
	u := make([]float64, c+1)  // potentials of rows
	v := make([]float64, c+1)  // potentials of columns
	owner := make([]int, c+1)  // row that holds a column, 0 if free
	before := make([]int, c+1) // column before this one on the path
	slack := make([]float64, c+1)
	visited := make([]bool, c+1)
	for i := 1; i <= c; i++ {
		owner[0] = i
		for j := range slack {
			slack[j] = math.Inf(1)
			visited[j] = false
		}
		j := 0
		for owner[j] != 0 {
			visited[j] = true
			row, next, delta := owner[j], 0, math.Inf(1)
			for k := 1; k <= c; k++ {
				if visited[k] {
					continue
				}
				if reduced := cost[row-1][k-1] - u[row] - v[k]; reduced < slack[k] {
					slack[k], before[k] = reduced, j
				}
				if slack[k] < delta {
					delta, next = slack[k], k
				}
			}
			for k := range slack {
				if visited[k] {
					u[owner[k]] += delta
					v[k] -= delta
				} else {
					slack[k] -= delta
				}
			}
			j = next
		}
		for j != 0 {
			owner[j] = owner[before[j]]
			j = before[j]
		}
	}
	column := make([]int, c)
	for j := 1; j <= c; j++ {
		column[owner[j]-1] = j - 1
	}
	return column
}
