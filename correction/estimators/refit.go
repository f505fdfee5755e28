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
	f := newRefit(g, labels, t)
	f.own, f.pooled = 1, true
	f.run()
	out := make([]float32, n*c)
	log, p := make([]float64, c), make([]float64, c)
	for x := range n {
		logarithms(log, g[x*c:(x+1)*c])
		f.posterior(p, log)
		for k, v := range p {
			out[x*c+k] = float32(v)
		}
	}
	return out, f.t, nil
}

// refit is the state of Refit.
type refit struct {
	c         int
	log       []float64 // of g of the examples that are fitted to, 0 for the likeliest class
	labels    []int
	before, t *correction.Matrix // T and T'
	a         float64

	own    float64 // imagined examples of each row of t
	pooled bool    // there are examples of the shared row, too
	ofAll  float64 // how many
}

func newRefit(g []float32, labels []int, t *correction.Matrix) *refit {
	c := t.Dim()
	f := &refit{c: c, before: t, t: t, a: 1, own: float64(c)}
	for x := 0; x < len(labels); x += every(len(labels), c) {
		f.log, f.labels = append(f.log, make([]float64, c)...), append(f.labels, labels[x])
		logarithms(f.log[len(f.log)-c:], g[x*c:(x+1)*c])
	}
	return f
}

// run fits T' and a.
func (f *refit) run() {
	for range refits {
		if f.step() <= refitted {
			return
		}
	}
}

// step is one of expectation and maximization. It returns the largest change.
func (f *refit) step() (change float64) {
	counts, columns := f.before.Rows(), f.t.ByLabel()
	for _, row := range counts {
		floats.Scale(f.own, row)
	}
	p, r, slope, curvature := make([]float64, f.c), make([]float64, f.c), 0., 0.
	for x, y := range f.labels {
		log := f.log[x*f.c : (x+1)*f.c]
		f.posterior(p, log)
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
	if f.pooled {
		least, most := f.ofAll, f.ofAll
		if least == 0 {
			least, most = 1, mostImagined
		}
		f.ofAll = imagine(counts, least, most)
	}
	before := f.t
	f.t = correction.Normalized(before.Classes(), counts)
	for k := range f.c {
		change = max(change, floats.Distance(f.t.Row(k), before.Row(k), math.Inf(1)))
	}
	if curvature > 0 {
		a := min(max(f.a+slope/curvature, f.a/2, 1./mostSure), 2*f.a, mostSure)
		change, f.a = max(change, math.Abs(a-f.a)), a
	}
	return change
}

// posterior sets p to g' from logarithms of g.
func (f *refit) posterior(p, log []float64) {
	floats.ScaleTo(p, f.a, log)
	correction.SoftmaxInPlace(p)
}

// logarithms are those of a row of posteriors, less the largest.
func logarithms(log []float64, row []float32) {
	for k, v := range row {
		log[k] = math.Log(max(float64(v), leastChance))
	}
	floats.AddConst(-floats.Max(log), log)
}
