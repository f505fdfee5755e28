package estimators

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// Bounds of Refit.
const (
	refits      = 30   // steps, see Refit
	refitted    = 1e-4 // change of T and of a at which it ends before
	leastChance = 1e-12
	mostSure    = 10 // a, and its inverse

	fitted       = 30_000    // examples at most
	fittedValues = 5_000_000 // and their values
)

// every is the distance of the examples that a fit to n examples of c classes takes: 30,000 or 5,000,000/c at most.
func every(n, c int) int { return max((n+fitted-1)/fitted, n*c/fittedValues) }

// Refit fits T, and how sure clean posteriors g [N C] are of the classes, to the given labels by likelihood, and
// returns g' and T':
//
//	P(ỹ | x) = sum over k of T'[k][ỹ] g'_k,   log g'_k = a log g_k + constant
//
// An estimate of T is counted among the examples nearest to the vertices. Where networks are weak, or a class
// has no perfect example, examples of other classes are among them, and T-hat has too much noise. Here all examples
// count, each for the classes that it may be of: from t on by expectation and maximization (Dempster, Laird and
// Rubin, 1977), and a by a step of Newton's method in each. Each row has an imagined example of its row of t, and as
// many of a row that all classes share as the rows' counts in the first step suggest: rows that differ by chance
// become alike. It ends after 30 steps, chosen by the true labels of other draws of reviews, since few examples say
// little, and the end is then further from the truth. Of more than 30,000 examples every k-th is fitted to.
//
// g must not know the example's own label. It is an error if it does not fit the labels.
func Refit(g []float32, labels []int, t *correction.Matrix) ([]float32, *correction.Matrix, error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c {
		return nil, nil, fmt.Errorf("correction: refit: %d posteriors of %d labels of %d classes", len(g), n, c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return nil, nil, fmt.Errorf("correction: refit: %w", err)
	}
	a, t := fit(g, labels, t, 1, true)
	out := make([]float32, n*c)
	p := make([]float64, c)
	for x := range n {
		logarithms(p, g[x*c:(x+1)*c])
		floats.Scale(a, p)
		correction.SoftmaxInPlace(p)
		for k, v := range p {
			out[x*c+k] = float32(v)
		}
	}
	return out, t, nil
}

// fit returns a and T' of Refit, where each row has own imagined examples of its row of t and, if pooled, those of a
// shared row.
func fit(g []float32, labels []int, t *correction.Matrix, own float64, pooled bool) (float64, *correction.Matrix) {
	c, step := t.Dim(), every(len(labels), t.Dim())
	var logs []float64
	for x := 0; x < len(labels); x += step {
		logs = append(logs, make([]float64, c)...)
		logarithms(logs[len(logs)-c:], g[x*c:(x+1)*c])
	}
	a, last, least, most := 1., t, 1., float64(mostImagined)
	p, r := make([]float64, c), make([]float64, c)
	for range refits {
		counts, columns, slope, curvature := t.Rows(), last.ByLabel(), 0., 0.
		for _, row := range counts {
			floats.Scale(own, row)
		}
		for x := 0; x < len(logs); x += c {
			log, y := logs[x:x+c], labels[x/c*step]
			floats.ScaleTo(p, a, log)
			correction.SoftmaxInPlace(p)
			correction.Bayes(r, p, columns.RawRowView(y))
			for k, v := range r {
				counts[k][y] += v
			}
			mean, square := floats.Dot(p, log), 0.
			for k, v := range p {
				square += v * log[k] * log[k]
			}
			slope += floats.Dot(r, log) - mean // of the log likelihood, by a
			curvature += square - mean*mean
		}
		if pooled { // as many as in the first step
			least = imagine(counts, least, most)
			most = least
		}
		next, change := correction.Normalized(t.Classes(), counts), 0.
		for k := range c {
			change = max(change, floats.Distance(next.Row(k), last.Row(k), math.Inf(1)))
		}
		last = next
		if curvature > 0 {
			moved := min(max(a+slope/curvature, a/2, 1./mostSure), 2*a, mostSure)
			change, a = max(change, math.Abs(moved-a)), moved
		}
		if change <= refitted {
			break
		}
	}
	return a, last
}

// logarithms sets log to those of a row of posteriors, less the largest.
func logarithms(log []float64, row []float32) {
	for k, v := range row {
		log[k] = math.Log(max(float64(v), leastChance))
	}
	floats.AddConst(-floats.Max(log), log)
}
