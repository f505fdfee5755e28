package review

import (
	"cmp"
	"math"
	"slices"

	"github.com/losscorr/losscorr/internal/audit"
)

// neighbours finds examples of a class that are similar to another example.
type neighbours struct {
	roots   []float32        // square roots of the posteriors [N C]
	of      map[string][]int // by class, the half of its rows with the better ranks
	classes []string
}

func newNeighbours(classes []string, issues []audit.Issue, posteriors []float32) *neighbours {
	n := &neighbours{roots: make([]float32, len(posteriors)), of: make(map[string][]int), classes: classes}
	for k, v := range posteriors {
		n.roots[k] = float32(math.Sqrt(float64(v)))
	}
	for place, i := range slices.Backward(issues) {
		if place < len(issues)/2 {
			break
		}
		n.of[i.Given] = append(n.of[i.Given], i.Row)
	}
	return n
}

// row returns the roots of a row.
func (n *neighbours) row(r int) []float32 { return n.roots[r*len(n.classes):][:len(n.classes)] }

// nearest returns at most count rows of a class that are likely labelled right and have the posteriors
// nearest to row's by the Hellinger distance, nearest first.
func (n *neighbours) nearest(row int, class string, count int) []int {
	type candidate struct {
		row      int
		distance float32
	}
	var best []candidate
	from := n.row(row)
	for _, r := range n.of[class] {
		if r == row {
			continue
		}
		var d float32
		for k, v := range n.row(r) {
			d += (v - from[k]) * (v - from[k])
		}
		if len(best) == count && d >= best[count-1].distance {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, d, func(c candidate, d float32) int { return cmp.Compare(c.distance, d) })
		best = slices.Insert(best, at, candidate{r, d})
		best = best[:min(len(best), count)]
	}
	rows := make([]int, len(best))
	for k, c := range best {
		rows[k] = c.row
	}
	return rows
}

// likely returns the classes by the posterior of a row, likeliest first.
func (n *neighbours) likely(row int) []string {
	order := make([]int, len(n.classes))
	for k := range order {
		order[k] = k
	}
	p := n.row(row)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	names := make([]string, len(order))
	for k, i := range order {
		names[k] = n.classes[i]
	}
	return names
}
