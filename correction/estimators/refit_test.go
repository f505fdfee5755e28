package estimators_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
)

// newUnclear makes examples of two normal distributions that overlap, whose posteriors are known, and their
// labels by m.
func newUnclear(t *testing.T, n int, m *correction.Matrix) (g []float32, given, truth []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	for x := range n {
		class := x % 2
		odds := math.Exp(2 * (rng.NormFloat64() + float64(2*class-1))) // of the second class
		g, truth = append(g, float32(1/(1+odds)), float32(odds/(1+odds))), append(truth, class)
	}
	given, err := m.Corrupt(truth, rng)
	if err != nil {
		t.Fatal(err)
	}
	return g, given, truth
}

func matrix(t *testing.T, rows ...[]float64) *correction.Matrix {
	t.Helper()
	m, err := correction.NewMatrix([]string{"neg", "pos"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// From a T with too much noise and posteriors that are too unsure, or too sure, the labels lead back to
// those that made them, and to the number of wrong ones.
func TestRefit(t *testing.T) {
	m := matrix(t, []float64{.7, .3}, []float64{.02, .98})
	g, given, truth := newUnclear(t, 20_000, m)
	wrong := 0.
	for x, y := range given {
		if y != truth[x] {
			wrong++
		}
	}
	for _, power := range []float64{.6, 1, 2} {
		altered := make([]float32, len(g))
		for k := 0; k < len(g); k += 2 {
			a, b := math.Pow(float64(g[k]), power), math.Pow(float64(g[k+1]), power)
			altered[k], altered[k+1] = float32(a/(a+b)), float32(b/(a+b))
		}
		from := matrix(t, []float64{.6, .4}, []float64{.08, .92})
		r, err := estimators.Refit(altered, given, from, false)
		if err != nil {
			t.Fatal(err)
		}
		if d := correction.RowError(r.T, m); d > .03 {
			t.Errorf("power %v: T' is %.3f off:\n%v", power, d, r.T)
		}
		off := 0.
		for k, p := range r.G {
			off += math.Abs(float64(p-g[k])) / float64(len(g))
		}
		if off > .02 {
			t.Errorf("power %v: the posteriors are %.3f off", power, off)
		}
		before, err := judging.Audit(altered, given, from)
		if err != nil {
			t.Fatal(err)
		}
		after, err := judging.Audit(r.G, given, r.T)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(after.ExpectedWrong-wrong) > .1*wrong || math.Abs(before.ExpectedWrong-wrong) < .15*wrong {
			t.Errorf("power %v: %.0f wrong labels, before %.0f, in truth %.0f", power, after.ExpectedWrong, before.ExpectedWrong, wrong)
		}
	}
}

// A class that no example is taken for keeps its row.
func TestRefitKeepsRowsOfNothing(t *testing.T) {
	m, err := correction.NewMatrix([]string{"a", "b", "c"}, [][]float64{{.8, .2, 0}, {.1, .9, 0}, {.25, .25, .5}})
	if err != nil {
		t.Fatal(err)
	}
	var g []float32
	var given []int
	for x := range 300 {
		g, given = append(g, .99, .01, 0), append(given, x%10/8)
		g, given = append(g, .01, .99, 0), append(given, min(x%10, 1))
	}
	for _, pool := range []bool{false, true} {
		r, err := estimators.Refit(g, given, m, pool)
		if err != nil {
			t.Fatal(err)
		}
		if d := correction.RowError(r.T, m); d > .03 {
			t.Errorf("T' is %.3f off:\n%v", d, r.T)
		}
	}
	for _, labels := range [][]int{nil, {0}, {0, 3}} {
		if _, err := estimators.Refit([]float32{1, 0, 0, 1, 0, 0}, labels, m, false); err == nil {
			t.Errorf("no error for the labels %v", labels)
		}
	}
}

// Rows that are alike but for chance are pooled; rows that differ hardly change.
func TestRefitPools(t *testing.T) {
	symmetric, err := correction.Symmetric(correctiontest.Digits, .3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(61, 62))
	for _, m := range []*correction.Matrix{symmetric, correctiontest.HighNoise(t, .3)} {
		clean := correctiontest.Simplex(rng, 3000, 10, func(int) float64 { return 1 - .5*rng.Float64() })
		e := correctiontest.Drawn(t, rng, m, clean)
		var g []float32
		for _, row := range clean {
			for _, v := range row {
				g = append(g, float32(v))
			}
		}
		var off [2]float64 // from what the mistakes were made by
		for k, pool := range []bool{false, true} {
			r, err := estimators.Refit(g, e.Noisy, m, pool)
			if err != nil {
				t.Fatal(err)
			}
			off[k] = correction.RowError(r.T, m)
		}
		if limit := map[bool]float64{true: .5 * off[0], false: .1}[m == symmetric]; off[1] > limit {
			t.Errorf("T' is %.3f off with pooled rows, %.3f without:\n%v", off[1], off[0], m)
		}
	}
}

// On the second stage's networks of digits the fit is nearer the true T than T-hat, and counts as well.
func TestRefitOfNetworks(t *testing.T) {
	for _, name := range []string{"symmetric_2", "asymmetric_4"} {
		const n, c = 3000, 10
		d := correctiontest.ReadRecorded(t, name, 12000, c)
		given, truth := d.Given[:n], d.Labels[:n]
		classes := correctiontest.Digits
		e, err := estimators.Estimate(classes, d.First[:n*c], given, estimators.Options{Name: "vertices", Prior: 1})
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := judging.Calibrate(d.Second[:n*c], given, e.T)
		if err != nil {
			t.Fatal(err)
		}
		r, err := estimators.Refit(g, given, e.T, false)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([][]float64, c)
		for k := range counts {
			counts[k] = make([]float64, c)
		}
		wrong := 0.
		for x, y := range truth {
			if counts[y][given[x]]++; y != given[x] {
				wrong++
			}
		}
		m := correction.Normalized(classes, counts)
		if before, after := correction.RowError(e.T, m), correction.RowError(r.T, m); after > before/2 {
			t.Errorf("%s: row error %.3f, of T-hat %.3f", name, after, before)
		}
		a, err := judging.Audit(r.G, given, r.T)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.ExpectedWrong-wrong) > .03*wrong {
			t.Errorf("%s: %.0f wrong labels, in truth %.0f", name, a.ExpectedWrong, wrong)
		}
	}
}
