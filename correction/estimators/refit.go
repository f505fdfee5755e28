package estimators

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// Bounds of Refit.
const (
	refitSteps     = 30   // steps of Refit
	refitTolerance = 1e-4 // Refit ends early if T and a change by less
	leastChance    = 1e-12
	mostSharp      = 10 // bound of a and of 1/a

	mostExamples = 30_000    // most examples
	mostValues   = 5_000_000 // most values, examples times classes
)

// every returns k such that every k-th of n examples of c classes is about 30,000 or 5,000,000/c examples at most.
func every(n, c int) int { return max((n+mostExamples-1)/mostExamples, n*c/mostValues) }

// Refit fits T and the sharpness a of clean posteriors g [N C] to the given labels by maximum likelihood. It returns
// g' and T' of
//
//	P(ỹ | x) = sum over k of T'[k][ỹ] g'_k,   log g'_k = a log g_k + constant
//
// Estimators count labels among the examples nearest to the vertices. If networks are weak or a class has no perfect
// example, these include examples of other classes, and T-hat has too much noise. Refit counts all examples, each for
// the classes that it may belong to, starting from t: expectation maximization for T (Dempster, Laird and Rubin,
// 1977) with one step of Newton's method for a per iteration. Each row has one pseudo-example of its row of t, and
// further ones of a row that all classes share, as many as the counts of the first step suggest, so that rows that
// differ only by chance become alike. It stops after 30 steps, because with few examples the limit is further from
// the truth; the number was chosen by the true labels of other draws of reviews. Beyond 30,000 examples, only every
// k-th is used.
//
// The networks behind g must not have seen the example's own label. It is an error if g does not match the labels.
func Refit(g []float32, labels []int, t *correction.Matrix) ([]float32, *correction.Matrix, error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c {
		return nil, nil, fmt.Errorf("correction: refit: %d posteriors for %d labels of %d classes", len(g), n, c)
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

// fit returns a and T' of Refit. Each row has own pseudo-examples of its row of t and, if pooled, further ones of a
// shared row.
func fit(g []float32, labels []int, t *correction.Matrix, own float64, pooled bool) (float64, *correction.Matrix) {
	c, step := t.Dim(), every(len(labels), t.Dim())
	var logs []float64
	for x := 0; x < len(labels); x += step {
		logs = append(logs, make([]float64, c)...)
		logarithms(logs[len(logs)-c:], g[x*c:(x+1)*c])
	}
	a, last, least, most := 1., t, 1., float64(mostPseudo)
	p, r := make([]float64, c), make([]float64, c)
	for range refitSteps {
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
			slope += floats.Dot(r, log) - mean // derivative of the log likelihood by a
			curvature += square - mean*mean
		}
		if pooled { // as many as the first step suggests
			least = addPseudo(counts, least, most)
			most = least
		}
		next, change := correction.Normalized(t.Classes(), counts), 0.
		for k := range c {
			change = max(change, floats.Distance(next.Row(k), last.Row(k), math.Inf(1)))
		}
		last = next
		if curvature > 0 {
			moved := min(max(a+slope/curvature, a/2, 1./mostSharp), 2*a, mostSharp)
			change, a = max(change, math.Abs(moved-a)), moved
		}
		if change <= refitTolerance {
			break
		}
	}
	return a, last
}

// logarithms sets log to the logarithms of a row of posteriors minus the largest.
func logarithms(log []float64, row []float32) {
	for k, v := range row {
		log[k] = math.Log(max(float64(v), leastChance))
	}
	floats.AddConst(-floats.Max(log), log)
}
