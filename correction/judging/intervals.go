package judging

import (
	"errors"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Intervals holds ranges for what an audit estimates, under the model that wrong labels depend
// on the true class alone. On mistakes that people make they hold the truth too rarely.
type Intervals struct {
	T         [][]correction.Interval // of the entries of T
	NoiseRate correction.Interval     // of the share of wrong labels
	Wrong     []correction.Interval   // of the number of wrong labels, by given label

	// Draws holds draws of T and of R^-1 T that [CleanAccuracy] needs.
	Draws []*correction.Matrix
}

// draws is the number of bootstrap samples.
const draws = 100

// NewIntervals returns intervals by the bootstrap (Efron 1979): 100 times, as many examples
// are drawn with replacement, and the rows of T are counted again among the drawn
// examples nearest to the vertices. The vertices are fixed, as medians of many more
// posteriors. Each draw of T gives the numbers of wrong labels by Bayes' rule from the
// labels alone, with shares of the true classes that solve P(ỹ) = pi T:
//
//	P(y≠j, ỹ=j) = P(ỹ=j) - pi_j T_jj
//
// The draws cannot show a bias: of T, where no example of a class is a perfect one, or of
// the posteriors g behind a. So the numbers are estimated in three ways whose errors
// differ, and the interval of a number is the least that holds the intervals of all three:
//
//   - from T, as above. Without perfect examples, T-hat has too much noise;
//   - from R^-1 T, where R_ik is the mean of g_k over the examples that row i counts: the
//     row is a mixture of the rows of T with these weights;
//   - from the sums of a.Wrong over the drawn examples, which rely on the networks, and on the
//     T that a judges by.
//
// On weak features, where no class has perfect examples, the first two are too high, and the
// third is less so where a judges by a T that [estimators.Refit] has fitted.
//
// It is an error if the estimator is not vertices, whose rows are counts, or if a judges
// other labels.
func NewIntervals(e *estimators.Estimation, a *Audited, rng *rand.Rand) (*Intervals, error) {
	if e.Near == nil {
		return nil, errors.New("correction: intervals: the rows of T-hat are not counts of labels: use the estimator vertices")
	}
	if !slices.Equal(a.given, e.Noisy) {
		return nil, errors.New("correction: intervals: T was not estimated from the labels that are judged")
	}
	n, c := len(e.Noisy), e.T.Dim()
	entries := newSamples(c * c)
	counted, unmixed, judged := newSamples(c+1), newSamples(c+1), newSamples(c+1) // by class, and in all
	mixture := e.Mixture(a.g)
	out := &Intervals{T: make([][]correction.Interval, c), Wrong: make([]correction.Interval, c)}
	times := make([]int, n) // that an example was drawn
	for range draws {
		clear(times)
		for range n {
			times[rng.IntN(n)]++
		}
		share, wrong := make([]float64, c), make([]float64, c)
		for x, y := range e.Noisy {
			share[y] += float64(times[x]) / float64(n)
			wrong[y] += float64(times[x]) * a.Wrong[x] / float64(n)
		}
		judged.add(append(wrong, floats.Sum(wrong)))
		t := e.Recount(times)
		out.Draws = append(out.Draws, t)
		entries.add(slices.Concat(t.Rows()...))
		wrong = t.WrongShares(share)
		counted.add(append(wrong, floats.Sum(wrong)))
		if t = unmix(t, mixture); t != nil {
			out.Draws = append(out.Draws, t)
			wrong = t.WrongShares(share)
		}
		unmixed.add(append(wrong, floats.Sum(wrong)))
	}
	for i := range out.T {
		out.T[i] = make([]correction.Interval, c)
		for j := range out.T[i] {
			v := entries.interval(i*c + j)
			out.T[i][j] = correction.Interval{Low: min(v.Low, e.T.At(i, j)), High: max(v.High, e.T.At(i, j))}
		}
	}
	all := func(j int) correction.Interval {
		x, y, z := counted.interval(j), unmixed.interval(j), judged.interval(j)
		return correction.Interval{Low: min(x.Low, y.Low, z.Low), High: max(x.High, y.High, z.High)}
	}
	given := make([]float64, c)
	for _, y := range e.Noisy {
		given[y]++
	}
	for j := range out.Wrong { // no more than there are, whose number varies between draws
		v := all(j)
		out.Wrong[j] = correction.Interval{Low: min(float64(n)*v.Low, given[j]), High: min(float64(n)*v.High, given[j])}
	}
	out.NoiseRate = all(c)
	return out, nil
}

// Include widens the ranges of T's entries so that they hold those of t.
func (v *Intervals) Include(t *correction.Matrix) {
	for i, row := range v.T {
		for j := range row {
			row[j].Low, row[j].High = min(row[j].Low, t.At(i, j)), max(row[j].High, t.At(i, j))
		}
	}
}

// unmix returns R^-1 T, negative entries set to 0 and rows divided by their sums; nil if
// R has no inverse.
func unmix(m *correction.Matrix, r *mat.Dense) *correction.Matrix {
	var solved mat.Dense
	if err := solved.Solve(r, m.Dense()); err != nil {
		return nil
	}
	rows := make([][]float64, m.Dim())
	for i := range rows {
		rows[i] = mat.Row(nil, i, &solved)
		for j, v := range rows[i] {
			rows[i][j] = max(0, v)
		}
		if floats.Sum(rows[i]) == 0 {
			return nil
		}
	}
	return correction.Normalized(m.Classes(), rows)
}

// samples holds draws of several numbers.
type samples [][]float64

func newSamples(numbers int) samples { return make(samples, numbers) }

func (s samples) add(values []float64) {
	for k, v := range values {
		s[k] = append(s[k], v)
	}
}

// interval returns the 5 % and 95 % quantiles of number k.
func (s samples) interval(k int) correction.Interval {
	slices.Sort(s[k])
	return correction.Interval{Low: stat.Quantile(.05, stat.LinInterp, s[k], nil), High: stat.Quantile(.95, stat.LinInterp, s[k], nil)}
}
