package correction

import (
	"errors"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Interval is from the 5 % to the 95 % quantile of bootstrap draws.
type Interval struct{ Low, High float64 }

// Intervals holds ranges for what an audit estimates, under the model that wrong labels depend
// on the true class alone. On mistakes that people make they hold the truth too rarely.
type Intervals struct {
	T         [][]Interval // of the entries of T
	NoiseRate Interval     // of the share of wrong labels
	Wrong     []Interval   // of the number of wrong labels, by given label

	// Draws holds draws of T and of R^-1 T that [CleanAccuracy] needs.
	Draws []*Matrix
}

// draws is the number of bootstrap samples.
const draws = 100

// Intervals returns intervals by the bootstrap (Efron 1979): 100 times, as many examples
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
//   - from the sums of a.Wrong over the drawn examples, which rely on the networks.
//
// On weak features, where no class has perfect examples, all three can be too high, since
// g was trained and calibrated with T-hat: by about .01 on IMDB with 20 % wrong labels.
//
// It is an error if the estimator is not vertices, whose rows are counts, or if a judges
// other labels.
func (e *Estimation) Intervals(a *Audited, rng *rand.Rand) (*Intervals, error) {
	if e.near == nil {
		return nil, errors.New("correction: intervals: the rows of T-hat are not counts of labels: use the estimator vertices")
	}
	if !slices.Equal(a.given, e.noisy) {
		return nil, errors.New("correction: intervals: T was not estimated from the labels that are judged")
	}
	n, c := len(e.noisy), e.T.Dim()
	entries := newSamples(c * c)
	counted, unmixed, judged := newSamples(c+1), newSamples(c+1), newSamples(c+1) // by class, and in all
	mixture := e.mixture(a.g)
	out := &Intervals{T: make([][]Interval, c), Wrong: make([]Interval, c)}
	times := make([]int, n) // that an example was drawn
	for range draws {
		clear(times)
		for range n {
			times[rng.IntN(n)]++
		}
		share, wrong := make([]float64, c), make([]float64, c)
		for x, y := range e.noisy {
			share[y] += float64(times[x]) / float64(n)
			wrong[y] += float64(times[x]) * a.Wrong[x] / float64(n)
		}
		judged.add(append(wrong, floats.Sum(wrong)))
		t := e.recount(times)
		out.Draws = append(out.Draws, t)
		entries.add(t.t.RawMatrix().Data)
		wrong = wrongShares(share, t)
		counted.add(append(wrong, floats.Sum(wrong)))
		if t = t.unmix(mixture); t != nil {
			out.Draws = append(out.Draws, t)
			wrong = wrongShares(share, t)
		}
		unmixed.add(append(wrong, floats.Sum(wrong)))
	}
	for i := range out.T {
		out.T[i] = make([]Interval, c)
		for j := range out.T[i] {
			out.T[i][j] = entries.interval(i*c + j)
		}
	}
	all := func(j int) Interval {
		x, y, z := counted.interval(j), unmixed.interval(j), judged.interval(j)
		return Interval{min(x.Low, y.Low, z.Low), max(x.High, y.High, z.High)}
	}
	given := make([]float64, c)
	for _, y := range e.noisy {
		given[y]++
	}
	for j := range out.Wrong { // no more than there are, whose number varies between draws
		v := all(j)
		out.Wrong[j] = Interval{min(float64(n)*v.Low, given[j]), min(float64(n)*v.High, given[j])}
	}
	out.NoiseRate = all(c)
	return out, nil
}

// recount returns T-hat of a sample that has each example so many times.
func (e *Estimation) recount(times []int) *Matrix {
	c := e.T.Dim()
	r := reading{rows: make([][]float64, c)}
	for i, near := range e.near {
		r.rows[i] = slices.Clone(e.prior[i])
		left := e.counted[i]
		for _, x := range near {
			k := min(left, times[x])
			r.rows[i][e.noisy[x]] += float64(k)
			if left -= k; left == 0 {
				break
			}
		}
		if left == e.counted[i] { // no example near the row was drawn
			copy(r.rows[i], e.T.t.RawRowView(i))
		}
	}
	return r.matrix(e.T.classes)
}

// mixture returns R: the mean clean posterior of the examples that each row counts.
func (e *Estimation) mixture(g []float32) *mat.Dense {
	c := e.T.Dim()
	r := mat.NewDense(c, c, nil)
	for i, near := range e.near {
		for _, x := range near[:e.counted[i]] {
			for k, v := range g[x*c : (x+1)*c] {
				r.Set(i, k, r.At(i, k)+float64(v)/float64(e.counted[i]))
			}
		}
	}
	return r
}

// unmix returns R^-1 T, negative entries set to 0 and rows divided by their sums; nil if
// R has no inverse.
func (m *Matrix) unmix(r *mat.Dense) *Matrix {
	var solved mat.Dense
	if err := solved.Solve(r, m.t); err != nil {
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
	return (&reading{rows: rows}).matrix(m.classes)
}

// wrongShares returns P(y≠j, ỹ=j) for all j, given P(ỹ) and T.
func wrongShares(share []float64, t *Matrix) []float64 {
	wrong := slices.Clone(share)
	for j, pi := range trueShares(share, t, 2000) {
		wrong[j] = max(0, wrong[j]-pi*t.At(j, j))
	}
	return wrong
}

// trueShares returns the shares pi of the true classes whose noisy labels are likeliest
// to have the given shares, by expectation maximisation:
//
//	pi_i <- pi_i sum over j of share_j T_ij / (sum over k of pi_k T_kj)
//
// at most so many steps. It is share T^-1 where that has no negative entry, and needs no
// inverse.
func trueShares(share []float64, t *Matrix, steps int) []float64 {
	const enough = 1e-9
	c := t.Dim()
	pi := slices.Repeat([]float64{1 / float64(c)}, c)
	ratio, next := make([]float64, c), make([]float64, c)
	for range steps {
		clear(ratio)
		for i, p := range pi {
			floats.AddScaled(ratio, p, t.t.RawRowView(i))
		}
		for j, sum := range ratio {
			if ratio[j] = 0; sum > 0 {
				ratio[j] = share[j] / sum
			}
		}
		for i, p := range pi {
			next[i] = p * floats.Dot(t.t.RawRowView(i), ratio)
		}
		sum := floats.Sum(next)
		if !(sum > 0) { // the rows rule the shares out
			break
		}
		floats.Scale(1/sum, next)
		moved := floats.Distance(pi, next, 1)
		copy(pi, next)
		if moved < enough {
			break
		}
	}
	return pi
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
func (s samples) interval(k int) Interval {
	slices.Sort(s[k])
	return Interval{stat.Quantile(.05, stat.LinInterp, s[k], nil), stat.Quantile(.95, stat.LinInterp, s[k], nil)}
}
