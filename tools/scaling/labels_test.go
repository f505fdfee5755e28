package scaling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

var (
	examples = []int{10_000, 30_000, 100_000, 300_000, 1_000_000}
	measured = []string{"argmax", "percentile", "class-quantile", "vertices", "dual-t", "confident-joint"}
)

func BenchmarkEstimatorByExamples(b *testing.B) {
	for _, name := range measured {
		each(b, "estimator="+name+"/examples", examples, func(b *testing.B, n int) { estimate(b, name, n, usualClasses) })
	}
}

func BenchmarkEstimatorByClasses(b *testing.B) {
	for _, name := range measured {
		each(b, "estimator="+name+"/classes", []int{10, 30, 100, 300, 1000}, func(b *testing.B, c int) {
			estimate(b, name, 50_000, c)
		})
	}
}

// estimate measures one estimator, without the second one for comparison, and reports
// the error of its T-hat's rows.
func estimate(b *testing.B, name string, n, c int) {
	d := newLabelled(b, n, c)
	var found *estimators.Estimation
	for b.Loop() {
		o := estimators.Options{Name: name, Alone: true}
		found = expect.Got(estimators.Estimate(correctiontest.Names(c), d.logits, d.given, o))(b)
	}
	b.ReportMetric(correction.RowError(found.T, d.t), "row-error")
}

// Clean posteriors from logits, without T.
func BenchmarkCalibration(b *testing.B) {
	each(b, "examples", examples, func(b *testing.B, n int) {
		d := newLabelled(b, n, usualClasses)
		for b.Loop() {
			expect.OK(b, expect.Err(judging.Fit(judging.Input{Logits: d.logits, Labels: d.given, T: d.t})))
		}
	})
}

// Judging each label, and sorting.
func BenchmarkRanking(b *testing.B) {
	each(b, "examples", examples, func(b *testing.B, n int) {
		d := newLabelled(b, n, usualClasses)
		for b.Loop() {
			m := expect.Got(judging.New(d.clean, d.given, d.t, estimators.Evidence{Nats: float64(n)}))(b)
			m.Judge(m.Pi, nil, nil, false)
		}
	})
}

// labelled is a synthetic data set: a T, given labels drawn by it, clean posteriors, and
// logits of a network that has learned the posteriors of given labels.
type labelled struct {
	t             *correction.Matrix
	given         []int
	clean, logits []float32 // n x c, row by row
}

// newLabelled draws n examples of c classes. Nine of ten have a clean posterior of at least
// .95 for their class and the rest for another; the others are random mixtures of two. T
// keeps .7 of the labels, moves .2 to the next class and spreads the rest. The logits are
// log(clean T) with normal errors of .1.
func newLabelled(b *testing.B, n, c int) *labelled {
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
	t := expect.Got(correction.NewMatrix(correctiontest.Names(c), rows))(b)
	d := &labelled{t: t, clean: make([]float32, n*c), logits: make([]float32, n*c)}
	truth := make([]int, n)
	for x := range n {
		first := rng.IntN(c)
		second := (first + 1 + rng.IntN(c-1)) % c
		share := .95 + .05*rng.Float64()
		if rng.IntN(10) == 0 {
			share = rng.Float64()
		}
		d.clean[x*c+first], d.clean[x*c+second] = float32(share), float32(1-share)
		if truth[x] = first; rng.Float64() > share {
			truth[x] = second
		}
		for j := range c {
			p := share*rows[first][j] + (1-share)*rows[second][j]
			d.logits[x*c+j] = float32(math.Log(p) + .1*rng.NormFloat64())
		}
	}
	d.given = expect.Got(t.Corrupt(truth, rng))(b)
	return d
}
