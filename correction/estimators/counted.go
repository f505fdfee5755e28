package estimators

import (
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
)

// Draws returns n draws of T-hat by the bootstrap (Efron, 1979). Each counts the rows again among examples drawn with
// replacement. The vertices stay, since they are medians of many more posteriors. All draws equal T-hat if its rows
// are not counts.
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

// recount returns T-hat of a sample that holds example x times[x] times. The rows have to be counts.
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
		if left == e.counted[i] { // no example near the row is in the sample
			none = append(none, i)
		}
	}
	addPseudo(rows, e.pseudo, e.pseudo)
	for _, i := range none {
		rows[i] = slices.Clone(e.T.Row(i))
	}
	return correction.Normalized(e.T.Classes(), rows)
}
