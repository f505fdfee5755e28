package judging

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

// audited is an example set by its exact clean posteriors, with true labels drawn from
// them and given labels drawn by T.
type audited struct {
	g              []float32
	labels, given  []int
	wrong          int
	t              *correction.Matrix
	noisyPosterior []float32
}

func newAudited(t *testing.T, rng *rand.Rand, m *correction.Matrix, n int) audited {
	t.Helper()
	c := m.Dim()
	d := audited{t: m, labels: make([]int, n)}
	for x, p := range correctiontest.Simplex(rng, n, c, func(int) float64 { return rng.Float64() }) {
		u := rng.Float64()
		for u -= p[0]; u > 0 && d.labels[x] < c-1; u -= p[d.labels[x]] {
			d.labels[x]++
		}
		for j := range c {
			d.g = append(d.g, float32(p[j]))
			sum := 0.
			for i := range c {
				sum += p[i] * m.At(i, j)
			}
			d.noisyPosterior = append(d.noisyPosterior, float32(sum))
		}
	}
	var err error
	if d.given, err = m.Corrupt(d.labels, rng); err != nil {
		t.Fatal(err)
	}
	for x, y := range d.labels {
		if y != d.given[x] {
			d.wrong++
		}
	}
	return d
}

func mustAudit(t *testing.T, g []float32, labels []int, m *correction.Matrix) *Audited {
	t.Helper()
	a, err := Audit(g, labels, m)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// With the true posteriors and T, w is a probability: the number of wrong labels is its
// sum within 4 standard deviations of the draws, in all, by class and among examples of
// similar w.
func TestAuditIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, c := range []int{2, 5, 10} {
		for range 3 {
			m := correctiontest.RandomMatrix(t, rng, c)
			d := newAudited(t, rng, m, 20000)
			a := mustAudit(t, d.g, d.given, m)
			expected, variance, number := map[int]float64{}, map[int]float64{}, map[int]float64{}
			for x, w := range a.Wrong {
				for _, group := range []int{-1, d.given[x], 100 + int(10*w)} {
					expected[group] += w
					variance[group] += w * (1 - w)
					if d.labels[x] != d.given[x] {
						number[group]++
					}
				}
			}
			for group, e := range expected {
				if off := math.Abs(number[group] - e); off > 4*math.Sqrt(variance[group])+1 {
					t.Errorf("c = %d, group %d: %.0f wrong labels, expected %.1f +- %.1f", c, group, number[group], e, math.Sqrt(variance[group]))
				}
			}
			if math.Abs(a.ExpectedWrong-expected[-1]) > 1e-6 || math.Abs(a.ExpectedByClass[1]-expected[1]) > 1e-6 {
				t.Errorf("expected %v and %v, the sums are %v and %v", a.ExpectedWrong, a.ExpectedByClass[1], expected[-1], expected[1])
			}
		}
	}
}

// With perfect posteriors every wrong label comes before every right one, and the
// suggestions are the true labels, for any T.
func TestAuditOfPerfectPosteriors(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for _, c := range []int{2, 10} {
		m := correctiontest.RandomMatrix(t, rng, c)
		d := newAudited(t, rng, m, 1000)
		clear(d.g)
		for x, y := range d.labels {
			d.g[x*c+y] = 1
		}
		a := mustAudit(t, d.g, d.given, m)
		for rank, x := range a.Order() {
			if wrong := d.labels[x] != d.given[x]; wrong != (rank < d.wrong) {
				t.Fatalf("c = %d: rank %d of %d wrong labels: wrong is %v", c, rank, d.wrong, wrong)
			}
		}
		if !slices.Equal(a.Suggested, d.labels) || a.Flagged() != d.wrong || a.ExpectedWrong != float64(d.wrong) {
			t.Errorf("c = %d: %d flagged and %v expected of %d", c, a.Flagged(), a.ExpectedWrong, d.wrong)
		}
	}
}

// By hand, with T's zeros and ties.
func TestAuditByHand(t *testing.T) {
	m, err := correction.NewMatrix([]string{"a", "b", "c"}, [][]float64{{.5, .5, 0}, {.25, .75, 0}, {0, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		g     []float32
		given int
		wrong float64
		best  int
	}{
		{"Bayes' rule", []float32{.5, .5, 0}, 0, 1. / 3, 0},
		{"another class", []float32{.25, .75, 0}, 0, .6, 1},
		{"tie goes to the given label", []float32{.75, .5, 0}, 1, .5, 1},
		{"not normalised", []float32{5, 5, 0}, 0, 1. / 3, 0},
		{"only its own class", []float32{.9, 0, .1}, 2, 0, 2},
		{"ruled out", []float32{.1, .9, 0}, 2, 1, 1},
		{"nothing is possible", []float32{0, 0, 0}, 1, 1, 1},
	} {
		a := mustAudit(t, tt.g, []int{tt.given}, m)
		if math.Abs(a.Wrong[0]-tt.wrong) > 1e-7 || a.Suggested[0] != tt.best {
			t.Errorf("%s: w %v and suggestion %d, want %v and %d", tt.name, a.Wrong[0], a.Suggested[0], tt.wrong, tt.best)
		}
	}
}

// Posteriors that round w to 1 still rank. Equal ones rank by the noisy posterior of the
// given label, and not by their place in the data where nothing tells them apart.
func TestOrderOfSaturatedPosteriors(t *testing.T) {
	m, err := correction.Symmetric([]string{"a", "b"}, .2)
	if err != nil {
		t.Fatal(err)
	}
	a := mustAudit(t, []float32{1e-30, 1, 1, 0, 1e-36, 1, 0, 1, 1, 0, 0, 1}, make([]int, 6), m)
	if a.Wrong[0] != 1 || a.Wrong[2] != 1 {
		t.Fatalf("w %v: this is no test", a.Wrong)
	}
	if got := a.Order(); !slices.Equal(got[2:4], []int{2, 0}) || min(got[0], got[1]) != 3 || min(got[4], got[5]) != 1 {
		t.Errorf("order %v", got)
	}
	a.BreakTies([]float32{.9, .1, .4, .6, .9, .1, .2, .8, .3, .7, .1, .9})
	if got := a.Order(); !slices.Equal(got, []int{5, 3, 2, 0, 4, 1}) {
		t.Errorf("order %v by noisy posteriors", got)
	}
	n := 1000
	equal := mustAudit(t, slices.Repeat([]float32{.5, .5}, n), make([]int, n), m)
	first := 0
	for _, x := range equal.Order()[:n/2] {
		first += int(oneIf(x < n/2))
	}
	if first < 200 || first > 300 { // of 250, with a standard error of 8
		t.Errorf("%d of the first %d of equal labels are of the first half of the data", first, n/2)
	}
}

func TestChecks(t *testing.T) {
	m, err := correction.Symmetric([]string{"a", "b"}, .5)
	if err != nil {
		t.Fatal(err)
	}
	a := mustAudit(t, []float32{.5, .5, .25, .75, 1, 0, .75, .25}, make([]int, 4), m) // w .5 .75 0 .25
	for share, want := range map[float64]int{1: 0, .375: 0, .37: 1, .1875: 1, .1: 2, .0625: 2, .06: 3, 0: 3} {
		if got := a.Checks(a.Order(), share); got != want {
			t.Errorf("share %v: %d checks, want %d", share, got, want)
		}
	}
}

func TestAuditRefuses(t *testing.T) {
	m, err := correction.Identity([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	for want, run := range map[string]func() error{
		"3 posteriors for 2 labels of 2 classes":        func() error { _, err := Audit([]float32{1, 0, 1}, []int{0, 1}, m); return err },
		"0 posteriors for 0 labels":                     func() error { _, err := Audit(nil, nil, m); return err },
		"given label of example 0 is 2, want":           func() error { _, err := Audit([]float32{1, 0}, []int{2}, m); return err },
		"posterior of example 1 for class b is NaN":     func() error { _, err := Audit([]float32{1, 0, 1, nan}, []int{0, 0}, m); return err },
		"posterior of example 0 for class a is -0.5":    func() error { _, err := Audit([]float32{-.5, 0}, []int{0}, m); return err },
		"3 posteriors are not rows of 2 classes":        func() error { _, err := CleanPosteriors([]float32{1, 0, 1}, m); return err },
		"the posterior of example 1 is 0":               func() error { _, err := CleanPosteriors([]float32{1, 0, 0, 0}, m); return err },
		"posterior of example 0 for class b is NaN":     func() error { _, err := CleanPosteriors([]float32{1, nan}, m); return err },
		"rows of T are about equal: correction: ":       func() error { _, err := CleanPosteriors([]float32{1, 0}, half(t)); return err },
		"clean accuracy: correction: invert transition": func() error { _, _, err := CleanAccuracy([]int{0}, []int{0}, half(t), nil, nil); return err },
		"1 predictions for 2 labels":                    func() error { _, _, err := CleanAccuracy([]int{0}, []int{0, 0}, m, nil, nil); return err },
		"prediction of example 0 is 3":                  func() error { _, _, err := CleanAccuracy([]int{3}, []int{0}, m, nil, nil); return err },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func half(t *testing.T) *correction.Matrix {
	t.Helper()
	m, err := correction.Symmetric([]string{"a", "b"}, .5)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Exact noisy posteriors give the exact clean ones back.
func TestCleanPosteriors(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	for _, c := range []int{2, 5, 10} {
		d := newAudited(t, rng, correctiontest.RandomMatrix(t, rng, c), 200)
		g, err := CleanPosteriors(d.noisyPosterior, d.t)
		if err != nil {
			t.Fatal(err)
		}
		tolerance := 1e-6 * d.t.Condition()
		for k, v := range g {
			if math.Abs(float64(v-d.g[k])) > tolerance {
				t.Fatalf("c = %d: entry %d is %v, want %v", c, k, v, d.g[k])
			}
		}
	}
	m, err := correction.Symmetric([]string{"a", "b"}, .2)
	if err != nil {
		t.Fatal(err)
	}
	g, err := CleanPosteriors([]float32{.1, .9}, m) // outside of the simplex of the rows of T
	if err != nil || g[0] != 0 || g[1] != 1 {
		t.Errorf("posteriors %v, error %v", g, err)
	}
}

// Where no label is wrong, at most one in a hundred is said to be, however few examples
// there are: the imagined wrong labels of the prior are as rare as the counted ones, and those that few examples
// are counted to have are doubted.
func TestCleanLabelsStayClean(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	for _, n := range []int{500, 3000, 10000} {
		clean, err := correction.Identity(correctiontest.Digits)
		if err != nil {
			t.Fatal(err)
		}
		e := correctiontest.NewExample(t, rng, clean, n)
		found := estimateJudged(t, e, estimators.Options{Name: "vertices", Prior: 1})
		found.Doubt(e.Logits)
		if got := auditExample(t, e, found.T).ExpectedWrong / float64(n); got > .01 {
			t.Errorf("of %d right labels %.2f %% are said to be wrong", n, 100*got)
		}
		for i, row := range found.T.Rows() {
			for j, v := range row {
				if v == 0 {
					t.Errorf("T-hat[%d][%d] is 0: that kind of wrong label is impossible", i, j)
				}
			}
		}
	}
}
