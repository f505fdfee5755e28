package estimators

import (
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
)

// Draws returns n draws of T-hat by the bootstrap (Efron, 1979): each counts the rows again among as many examples,
// drawn with replacement. The vertices stay, as medians of many more posteriors. It is n times T-hat where rows are not
// counts.
func (e *Estimation) Draws(n int, rng *rand.Rand) []*correction.Matrix {
	if e.near == nil {
		return slices.Repeat([]*correction.Matrix{e.T}, n)
	}
	draws, times := make([]*correction.Matrix, n), make([]int, len(e.noisy))
	for k := range draws {
		clear(times)
		for range times {
			times[rng.IntN(len(times))]++
		}
		draws[k] = e.recount(times)
	}
	return draws
}

// recount returns T-hat of a sample that has each example so many times. It needs rows of
// counts.
func (e *Estimation) recount(times []int) *correction.Matrix {
	c := e.T.Dim()
	rows := zeros(c)
	var none []int
	for i, near := range e.near {
		left := e.counted[i]
		for _, x := range near {
			k := min(left, times[x])
			rows[i][e.noisy[x]] += float64(k)
			if left -= k; left == 0 {
				break
			}
		}
		if left == e.counted[i] { // no example near the row was drawn
			none = append(none, i)
		}
	}
	imagine(rows, e.imagined, e.imagined)
	for _, i := range none {
		rows[i] = slices.Clone(e.T.Row(i))
	}
	return correction.Normalized(e.T.Classes(), rows)
}
