package estimators

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// index finds the rows nearest to a vector without computing most distances. Posteriors and rows of T are large in
// few entries J. With the triangle inequality for the other entries, these bound a distance from below:
//
//	|x - v|^2 >= sum over j in J of (x_j - v_j)^2 + (|x_rest| - |v_rest|)^2
//
// A row whose bound exceeds the distance of the k-th nearest is skipped. The result is exact; equal distances rank by
// row. A vector without large entries saves nothing.
type index struct {
	rows   [][]float64
	square []float64 // squared norms of the rows

	// The squared bounds of the last search, the computed distances, and the rows whose bound is low enough.
	bound, distance []float64
	order, low      []int
}

func newIndex(rows [][]float64) *index {
	n := len(rows)
	ix := &index{rows: rows, square: make([]float64, n), bound: make([]float64, n), distance: make([]float64, n),
		order: make([]int, n)}
	for x, row := range rows {
		ix.square[x] = floats.Dot(row, row)
		ix.order[x] = x
	}
	return ix
}

// nearest returns the k rows nearest to v in no particular order. The next search overwrites them.
func (ix *index) nearest(v []float64, k int) []int {
	large, rest := largest(v)
	limit := ix.bounds(v, large, rest, k)
	ix.low = ix.low[:0]
	for x, bound := range ix.bound {
		if bound <= limit {
			ix.low = append(ix.low, x)
		}
	}
	ix.among(ix.low, v, k)
	return ix.low[:k]
}

// inOrder returns the k rows nearest to v, the nearest first.
func (ix *index) inOrder(v []float64, k int) []int {
	near := slices.Clone(ix.nearest(v, k))
	slices.SortFunc(near, func(a, b int) int {
		return cmp.Or(cmp.Compare(ix.distance[a], ix.distance[b]), cmp.Compare(a, b))
	})
	return near
}

// among moves the k rows nearest to v to the front and returns the distance of the farthest of them.
func (ix *index) among(rows []int, v []float64, k int) float64 {
	shared(len(rows), func(i int) { ix.distance[rows[i]] = floats.Distance(ix.rows[rows[i]], v, 2) })
	selectLeast(rows, ix.distance, k)
	farthest := 0.
	for _, x := range rows[:k] {
		farthest = max(farthest, ix.distance[x])
	}
	return farthest
}

// bounds computes the bounds of all rows and returns the largest distance of the k rows of least bound: a row with a
// larger bound is not among the k nearest.
func (ix *index) bounds(v []float64, large []int, rest float64, k int) float64 {
	shared(len(ix.rows), func(x int) {
		row := ix.rows[x]
		sum, left := 0., ix.square[x]
		for _, j := range large {
			d := row[j] - v[j]
			sum += d * d
			left -= row[j] * row[j]
		}
		d := math.Sqrt(max(0, left)) - rest
		ix.bound[x] = sum + d*d
	})
	selectLeast(ix.order, ix.bound, k)
	limit := ix.among(ix.order[:k], v, k)
	// The rest of a norm is a difference, so its root is off by up to 1e-8 near 0.
	const rounding = 1e-7
	return limit*limit + rounding
}

// largest returns the entries of v that make up nearly all of its norm, at most eight or a quarter of them, and the
// norm of the rest.
func largest(v []float64) (large []int, rest float64) {
	const most, negligible = 8, 1e-4
	square := floats.Dot(v, v)
	left := square
	for len(large) < min(most, len(v)/4) && left > negligible*square {
		best := -1
		for j, a := range v {
			if (best < 0 || math.Abs(a) > math.Abs(v[best])) && !slices.Contains(large, j) {
				best = j
			}
		}
		large = append(large, best)
		left = max(0, left-v[best]*v[best])
	}
	return large, math.Sqrt(left)
}

// residuals ranks rows by their norms after projections. Each direction reduces the squared norm of a row by the
// square of their product.
type residuals struct {
	rows       [][]float64
	directions [][]float64 // orthonormal
	size       []float64   // squared norms
	order      []int
}

func newResiduals(ix *index) *residuals {
	return &residuals{rows: ix.rows, size: slices.Clone(ix.square), order: slices.Clone(ix.order)}
}

// project removes the direction of v from all rows.
func (r *residuals) project(v []float64) {
	u := slices.Clone(v)
	for _, d := range r.directions {
		floats.AddScaled(u, -floats.Dot(u, d), d)
	}
	length := floats.Norm(u, 2)
	if length < 1e-9 { // the rows span fewer dimensions
		return
	}
	floats.Scale(1/length, u)
	r.directions = append(r.directions, u)
	shared(len(r.rows), func(x int) {
		along := floats.Dot(r.rows[x], u)
		r.size[x] = max(0, r.size[x]-along*along)
	})
}

// largest returns the k rows of largest residual, largest first, ties by row. Rows in out count as 0.
func (r *residuals) largest(k int, out []bool) []int {
	key := make([]float64, len(r.rows)) // negative: the largest come first
	for x, v := range r.size {
		if !out[x] {
			key[x] = -v
		}
	}
	selectLeast(r.order, key, k)
	top := slices.Clone(r.order[:k])
	slices.SortFunc(top, func(a, b int) int { return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(a, b)) })
	return top
}

// shared calls do with 0 to n-1 in parallel; each call may write only its own results.
func shared(n int, do func(i int)) {
	inParts(n, func(_, from, to int) {
		for i := from; i < to; i++ {
			do(i)
		}
	})
}

// selectLeast moves the k elements of least key to the front of order, by Hoare's selection in O(n). Equal keys rank
// by element.
func selectLeast(order []int, key []float64, k int) {
	less := func(a, b int) bool { return key[a] < key[b] || key[a] == key[b] && a < b }
	low, high := 0, len(order)
	for high-low > 1 {
		pivot := order[low+(high-low)/2]
		i, j := low, high-1
		for i <= j {
			for less(order[i], pivot) {
				i++
			}
			for less(pivot, order[j]) {
				j--
			}
			if i <= j {
				order[i], order[j] = order[j], order[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			high = j + 1
		case k-1 >= i:
			low = i
		default:
			return
		}
	}
}
