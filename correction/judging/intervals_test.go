package judging

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Where the posteriors are exact and the vertices are corners, 90 % intervals hold the truth in
// about 90 % of the draws: of 40 draws in 30 or more, and of the entries of T that can
// vary in 80 % or more. The number of wrong labels is that of the draw itself.
func TestIntervalsCover(t *testing.T) {
	m := correctiontest.HighNoise(t, .2)
	covered, entries, held := 0, 0, 0
	width := 0.
	const repeats = 40
	for seed := range uint64(repeats) {
		rng := rand.New(rand.NewPCG(seed, 71))
		e := correctiontest.NewExample(t, rng, m, 5000)
		found := estimateJudged(t, e, estimators.Options{Name: "vertices"})
		iv, err := NewIntervals(found, auditExample(t, e, found.T), rng)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for x, y := range e.Labels {
			if e.Noisy[x] != y {
				wrong++
			}
		}
		rate := float64(wrong) / float64(len(e.Labels))
		if iv.NoiseRate.Low <= rate && rate <= iv.NoiseRate.High {
			covered++
		}
		width += (iv.NoiseRate.High - iv.NoiseRate.Low) / repeats
		for i := range 10 {
			for j := range 10 {
				if v := m.At(i, j); v > 0 && v < 1 {
					entries++
					if iv.T[i][j].Low <= v && v <= iv.T[i][j].High {
						held++
					}
				}
			}
		}
		if len(iv.Draws) != 200 || len(iv.Wrong) != 10 {
			t.Fatalf("%d draws, %d classes", len(iv.Draws), len(iv.Wrong))
		}
	}
	if covered < 30 || float64(held) < .8*float64(entries) {
		t.Errorf("the truth is in %d of %d intervals of the noise rate, %d of %d of entries of T", covered, repeats, held, entries)
	}
	if width > .06 {
		t.Errorf("mean width %.3f of the intervals of the noise rate says little", width)
	}
}

// Posteriors that are sure of the given labels find no wrong ones; the counts of labels
// at the vertices do. The interval holds both.
func TestIntervalsHoldBothEstimates(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .4), 5000)
	found := estimateJudged(t, e, estimators.Options{Name: "vertices"})
	sure := make([]float32, len(e.Logits))
	for x, y := range e.Noisy {
		sure[x*10+y] = 1
	}
	iv, err := NewIntervals(found, mustAudit(t, sure, e.Noisy, found.T), rng)
	if err != nil {
		t.Fatal(err)
	}
	if iv.NoiseRate.Low != 0 || iv.NoiseRate.High < .19 {
		t.Errorf("noise rate in %v, want 0 to more than .2 less a standard error", iv.NoiseRate)
	}
}

// No class has more wrong labels than labels, in no draw either.
func TestIntervalsStayWithinClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 88))
	e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .4), 2000)
	found := estimateJudged(t, e, estimators.Options{Name: "vertices"})
	another, count := make([]float32, len(e.Logits)), make([]float64, 10)
	for x, y := range e.Noisy {
		another[x*10+(y+1)%10] = 1 // each label is ruled out
		count[y]++
	}
	iv, err := NewIntervals(found, mustAudit(t, another, e.Noisy, found.T), rng)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range iv.Wrong {
		if v.High != count[j] {
			t.Errorf("class %d: up to %v of %v labels are wrong", j, v.High, count[j])
		}
	}
}

func TestIntervalsRefuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 76))
	e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .2), 1000)
	found := estimateJudged(t, e, estimators.Options{Name: "vertices"})
	a := auditExample(t, e, found.T)
	a.given = slices.Clone(a.given)
	a.given[0] = (a.given[0] + 1) % 10
	for want, est := range map[string]*estimators.Estimation{
		"use the estimator vertices":           estimateJudged(t, e, estimators.Options{Name: "class-quantile"}),
		"not estimated from the labels that a": found,
	} {
		if _, err := NewIntervals(est, a, rng); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Rows that are mixtures of the rows of T give T back, and a singular mixture nothing.
func TestUnmix(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	for _, c := range []int{2, 10} {
		m, r := correctiontest.RandomMatrix(t, rng, c), correctiontest.RandomMatrix(t, rng, c)
		var mixed mat.Dense
		mixed.Mul(r.Dense(), m.Dense())
		rows := make([][]float64, c)
		for i := range rows {
			rows[i] = mixed.RawRowView(i)
		}
		if got := correction.RowError(unmix(correction.Normalized(m.Classes(), rows), r.Dense()), m); got > 1e-9 {
			t.Errorf("c = %d: row error %v", c, got)
		}
	}
	if got := unmix(half(t), mat.NewDense(2, 2, []float64{1, 0, 1, 0})); got != nil {
		t.Errorf("a singular mixture gives %v", got.Rows())
	}
}

// An interval leaves out 5 % of the draws at each end.
func TestIntervalOfDraws(t *testing.T) {
	s := newSamples(2)
	for i := range 1000 {
		v := float64((i*7 + 3) % 1000) // 0 to 999 in another order
		s.add([]float64{v, -2 * v})
	}
	for k, want := range []correction.Interval{{Low: 50, High: 950}, {Low: -1900, High: -100}} {
		if got := s.interval(k); math.Abs(got.Low-want.Low) > 3 || math.Abs(got.High-want.High) > 3 {
			t.Errorf("interval %v of draws %d, want %v", got, k, want)
		}
	}
}

// audit judges by the inverse of the exact noisy posteriors.
func auditExample(t *testing.T, e correctiontest.Example, m *correction.Matrix) *Audited {
	t.Helper()
	p := make([]float32, len(e.Logits))
	for k, z := range e.Logits {
		p[k] = float32(math.Exp(float64(z)))
	}
	g, err := CleanPosteriors(p, m)
	if err != nil {
		t.Fatal(err)
	}
	return mustAudit(t, g, e.Noisy, m)
}

// Ranges of T hold each T that is included, and are no wider than that.
func TestInclude(t *testing.T) {
	m, err := correction.NewMatrix([]string{"a", "b"}, [][]float64{{.7, .3}, {.05, .95}})
	if err != nil {
		t.Fatal(err)
	}
	v := &Intervals{T: [][]correction.Interval{{{Low: .8, High: .9}, {Low: .1, High: .2}}, {{Low: 0, High: .1}, {Low: .9, High: 1}}}}
	v.Include(m)
	want := [][]correction.Interval{{{Low: .7, High: .9}, {Low: .1, High: .3}}, {{Low: 0, High: .1}, {Low: .9, High: 1}}}
	if diff := cmp.Diff(want, v.T); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
