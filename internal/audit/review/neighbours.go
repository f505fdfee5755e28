package review

import (
	"cmp"
	"math"
	"slices"

	"github.com/losscorr/losscorr/internal/audit"
)

// neighbours finds examples of a class that are similar to another example.
type neighbours struct {
	roots   Posteriors       // square roots of the posteriors
	of      map[string][]int // by class, the half of its rows with the better ranks
	classes []string
}

func newNeighbours(classes []string, issues []audit.Issue, p Posteriors) *neighbours {
	n := &neighbours{roots: Posteriors{Values: make([]float32, len(p.Values)), Classes: p.Classes},
		of: make(map[string][]int), classes: classes}
	for k, v := range p.Values {
		n.roots.Values[k] = float32(math.Sqrt(float64(max(0, v))))
	}
	for place, i := range slices.Backward(issues) {
		if place < len(issues)/2 {
			break
		}
		n.of[i.Given] = append(n.of[i.Given], i.Row)
	}
	return n
}

// nearest returns at most count rows of a class that are likely labelled right and have the posteriors
// nearest to row's by the Hellinger distance, nearest first.
func (n *neighbours) nearest(row int, class string, count int) []int {
	type candidate struct {
		row      int
		distance float32
	}
	var best []candidate
	from := n.roots.Row(row)
	for _, r := range n.of[class] {
		if r == row {
			continue
		}
		var d float32
		for k, v := range n.roots.Row(r) {
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
	p := n.roots.Row(row)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	names := make([]string, len(order))
	for k, i := range order {
		names[k] = n.classes[i]
	}
	return names
}
