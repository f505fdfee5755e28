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
	if e.Near == nil {
		return slices.Repeat([]*correction.Matrix{e.T}, n)
	}
	draws, times := make([]*correction.Matrix, n), make([]int, len(e.Noisy))
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
	r := reading{rows: zeros(c)}
	var none []int
	for i, near := range e.Near {
		left := e.Counted[i]
		for _, x := range near {
			k := min(left, times[x])
			r.rows[i][e.Noisy[x]] += float64(k)
			if left -= k; left == 0 {
				break
			}
		}
		if left == e.Counted[i] { // no example near the row was drawn
			none = append(none, i)
		}
	}
	r.imagine(e.Imagined, e.Imagined)
	for _, i := range none {
		r.rows[i] = slices.Clone(e.T.Row(i))
	}
	return r.matrix(e.T.Classes())
}
