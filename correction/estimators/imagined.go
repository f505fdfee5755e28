package estimators

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Bounds of the weight that imagined examples have by likelihood.
const (
	mostImagined = 3000
	imaginedStep = 1.25
	mostRows     = 300 // that are looked at
)

// imagine adds imagined examples to each row of counts, whose names are given: the least number, or more, up to
// the most, where the counts of the rows say so. By all rows together a share of
//
//	share = (wrong + 1/2) / (counted + 1)
//
// of the labels is wrong, so much of the imagined examples is off the diagonal, in equal parts: where
// no label was counted as wrong, hardly any is imagined to be. The number of them has the highest
// likelihood of the counts, if the rows are drawn from the Dirichlet distribution with these
// parameters ("empirical Bayes"). Rows that are alike but for chance, as of symmetric noise, are then taken
// to be alike, and rows that differ, as where each class is taken for one other, are hardly changed.
// Two rows say too little of how rows differ: they get the least number.
// It returns the number.
func imagine(rows [][]float64, least, most float64) float64 {
	wrong, counted := 0., 0.
	for i, row := range rows {
		sum := floats.Sum(row)
		counted += sum
		wrong += sum - row[i]
	}
	share := (wrong + .5) / (counted + 1)
	n, best := least, math.Inf(-1)
	if most > least && least > 0 && len(rows) > 2 {
		for k := least; k <= most; k *= imaginedStep {
			if l := dirichlet(rows, k, share); l > best {
				n, best = k, l
			}
		}
	}
	for i, row := range rows {
		for j := range row {
			if j != i {
				row[j] += n * share / float64(len(row)-1)
			}
		}
		row[i] += n * (1 - share)
	}
	return n
}

// dirichlet returns the logarithm of the probability of the counts, up to a constant, where n examples are
// imagined for each row, a share of them with wrong labels: that of the Dirichlet-multinomial
// distribution.
func dirichlet(rows [][]float64, n, share float64) float64 {
	gamma := func(v float64) float64 {
		l, _ := math.Lgamma(v)
		return l
	}
	own, other, c := n*(1-share), n*share/float64(len(rows)-1), len(rows)
	none := gamma(n) - gamma(own) - float64(c-1)*gamma(other) // of a row without counts
	sum := 0.
	for i := 0; i < c; i += (c + mostRows - 1) / mostRows {
		row := rows[i]
		sum += none - gamma(n+floats.Sum(row)) + gamma(own+row[i]) - gamma(other+row[i])
		for _, count := range row {
			sum += gamma(other + count)
		}
	}
	return sum
}
