package estimators

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Bounds of the number of pseudo-examples.
const (
	mostPseudo = 3000
	pseudoStep = 1.25
	mostRows   = 300 // rows in the likelihood
)

// addPseudo adds n pseudo-examples to each row of counts, under its final name, and returns n, from least to most. Of
// all labels together a share of
//
//	share = (wrong + 1/2) / (counted + 1)
//
// is wrong, and the same share of the pseudo-examples is spread evenly off the diagonal. n maximises the likelihood
// of the counts if the rows are draws from the Dirichlet distribution with these parameters ("empirical Bayes"). Rows
// that differ only by chance, as under symmetric noise, become alike; rows that truly differ hardly change. Two rows
// are too few to estimate n, which is then least.
func addPseudo(rows [][]float64, least, most float64) float64 {
	wrong, counted := 0., 0.
	for i, row := range rows {
		sum := floats.Sum(row)
		counted += sum
		wrong += sum - row[i]
	}
	share := (wrong + .5) / (counted + 1)
	n, best := least, math.Inf(-1)
	if most > least && least > 0 && len(rows) > 2 {
		for k := least; k <= most; k *= pseudoStep {
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

// dirichlet returns the log probability of the counts, up to a constant, by the Dirichlet-multinomial distribution
// with n pseudo-examples per row, a share of them with wrong labels.
func dirichlet(rows [][]float64, n, share float64) float64 {
	gamma := func(v float64) float64 {
		l, _ := math.Lgamma(v)
		return l
	}
	own, other, c := n*(1-share), n*share/float64(len(rows)-1), len(rows)
	none := gamma(n) - gamma(own) - float64(c-1)*gamma(other) // part that all rows share
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
