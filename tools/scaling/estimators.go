package scaling

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction"
)

// estimated are the estimators that are measured, with the exponents of examples and of
// classes: of c classes argmax and percentile read each posterior once, the others compare
// each example with each class in c dimensions, and dual-t multiplies matrices.
var estimated = []struct {
	name              string
	examples, classes float64
}{
	{"argmax", 1, 1}, {"percentile", 1, 1}, {"class-quantile", 1, 2},
	{"vertices", 1, 2}, {"dual-t", 1, 3}, {"confident-joint", 1, 1},
}

func (r *run) estimatorExamples() error {
	const c = usualClasses
	a := axes{"estimator-examples", fmt.Sprintf("Estimators of T, %d classes", c), "examples", "seconds"}
	return r.each(r.values([]int{1000, 2000}, []int{10_000, 30_000, 100_000, 300_000, 1_000_000}), func(n int) error {
		return r.estimate(a, n, c, n)
	})
}

func (r *run) estimatorClasses() error {
	n := 50_000
	if r.Quick {
		n = 2000
	}
	a := axes{"estimator-classes", fmt.Sprintf("Estimators of T, %d examples", n), "classes", "seconds"}
	return r.each(r.values([]int{5, 10}, []int{10, 30, 100, 300, 1000}), func(c int) error {
		return r.estimate(a, n, c, c)
	})
}

// estimate adds the time of each estimator, at x, and prints how far its T-hat is off.
func (r *run) estimate(a axes, n, c, x int) error {
	d, err := newLabelled(n, c)
	if err != nil {
		return err
	}
	for _, e := range estimated {
		expected := e.examples
		if x == c {
			expected = e.classes
		}
		var found *correction.Estimation
		seconds, err := r.seconds(func() (err error) {
			found, err = correction.Estimate(names(c), d.logits, d.given, correction.EstimatorOptions{Name: e.name, Alone: true})
			return err
		})
		if err != nil {
			return err
		}
		r.add(a, e.name, expected, float64(x), seconds)
		fmt.Fprintf(r.log, "  a row of T-hat is off by %.3f\n", correction.RowError(found.T, d.t))
	}
	return nil
}

// labelled is a synthetic data set: a T, given labels drawn by it, clean posteriors, and
// the logits of a network that has learned the posterior of the given label.
type labelled struct {
	t             *correction.Matrix
	given         []int
	clean, logits []float32 // n x c, row by row
}

// newLabelled draws n examples of c classes. Nine of ten have a clean posterior of .95 or
// more of their class and the rest of another one, the others any mixture of two. T keeps
// .7 of the labels, gives .2 to the next class and shares out the rest. The logits are
// log(clean T) with normal errors of .1.
func newLabelled(n, c int) (*labelled, error) {
	rng := rand.New(rand.NewPCG(17, uint64(n*c)))
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		for j := range rows[i] {
			rows[i][j] = .1 / float64(c)
		}
		rows[i][i] += .7
		rows[i][(i+1)%c] += .2
	}
	t, err := correction.NewMatrix(names(c), rows)
	if err != nil {
		return nil, err
	}
	d := &labelled{t: t, clean: make([]float32, n*c), logits: make([]float32, n*c)}
	truth := make([]int, n)
	for x := range n {
		a := rng.IntN(c)
		b := (a + 1 + rng.IntN(c-1)) % c
		share := .95 + .05*rng.Float64()
		if rng.IntN(10) == 0 {
			share = rng.Float64()
		}
		d.clean[x*c+a], d.clean[x*c+b] = float32(share), float32(1-share)
		if truth[x] = a; rng.Float64() > share {
			truth[x] = b
		}
		for j := range c {
			p := share*rows[a][j] + (1-share)*rows[b][j]
			d.logits[x*c+j] = float32(math.Log(p) + .1*rng.NormFloat64())
		}
	}
	d.given, err = t.Corrupt(truth, rng)
	return d, err
}

// ranking measures what an audit computes when its networks are trained and T is
// estimated: the temperature of the posteriors, the judgement of each label, and the order.
func (r *run) ranking() error {
	const c = usualClasses
	a := axes{"ranking", fmt.Sprintf("Ranking of labels, %d classes", c), "examples", "seconds"}
	return r.each(r.values([]int{1000, 2000}, []int{10_000, 30_000, 100_000, 300_000, 1_000_000}), func(n int) error {
		d, err := newLabelled(n, c)
		if err != nil {
			return err
		}
		for _, part := range []struct {
			name string
			do   func() error
		}{
			{"calibration", func() error { _, _, err := correction.Calibrate(d.logits, d.given, d.t); return err }},
			{"judgement and order", func() error {
				found, err := correction.Audit(d.clean, d.given, d.t)
				if err == nil {
					found.Order()
				}
				return err
			}},
		} {
			seconds, err := r.seconds(part.do)
			if err != nil {
				return err
			}
			r.add(a, part.name, 1, float64(n), seconds)
		}
		return nil
	})
}
