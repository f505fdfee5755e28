package estimators_test

import (
	"compress/gzip"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// newUnclear draws examples of two overlapping normal distributions, with exact posteriors, and their labels by m.
func newUnclear(t *testing.T, n int, m *correction.Matrix) (g []float32, given []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var truth []int
	for x := range n {
		class := x % 2
		odds := math.Exp(2 * (rng.NormFloat64() + float64(2*class-1))) // of the second class
		g, truth = append(g, float32(1/(1+odds)), float32(odds/(1+odds))), append(truth, class)
	}
	given = expect.Got(m.Corrupt(truth, rng))(t)
	return g, given
}

func matrix(rows ...[]float64) *correction.Matrix {
	return correction.Normalized([]string{"neg", "pos"}, rows)
}

// Refit recovers T and the posteriors from a T with too much noise and posteriors that are under- or overconfident.
func TestRefit(t *testing.T) {
	m := matrix([]float64{.7, .3}, []float64{.02, .98})
	g, given := newUnclear(t, 20_000, m)
	for _, power := range []float64{.6, 1, 2} {
		altered := make([]float32, len(g))
		for k := 0; k < len(g); k += 2 {
			a, b := math.Pow(float64(g[k]), power), math.Pow(float64(g[k+1]), power)
			altered[k], altered[k+1] = float32(a/(a+b)), float32(b/(a+b))
		}
		from := matrix([]float64{.6, .4}, []float64{.08, .92})
		refitted, fit, err := estimators.Refit(altered, given, from)
		expect.OK(t, err)
		if d := correction.RowError(fit, m); d > .03 {
			t.Errorf("power %v: T' is %.3f off:\n%v", power, d, fit)
		}
		off := 0.
		for k, p := range refitted {
			off += math.Abs(float64(p-g[k])) / float64(len(g))
		}
		if off > .02 {
			t.Errorf("power %v: the posteriors are %.3f off", power, off)
		}
	}
}

// A class that is never predicted gets a row between its own and the others'.
func TestRefitOfRowsOfNothing(t *testing.T) {
	m := correction.Normalized([]string{"a", "b", "c"}, [][]float64{{.8, .2, 0}, {.1, .9, 0}, {.25, .25, .5}})
	var g []float32
	var given []int
	for x := range 300 {
		g, given = append(g, .99, .01, 0), append(given, x%10/8)
		g, given = append(g, .01, .99, 0), append(given, min(x%10, 1))
	}
	_, fit, err := estimators.Refit(g, given, m)
	expect.OK(t, err)
	if max(correction.RowDistance(fit, m, 0, 0), correction.RowDistance(fit, m, 1, 1)) > .03 || fit.At(2, 2) < .5 ||
		fit.At(2, 2) > .85 {
		t.Errorf("T' is %v", fit)
	}
	for _, labels := range [][]int{nil, {0}, {0, 3}} {
		_, _, err := estimators.Refit([]float32{1, 0, 0, 1, 0, 0}, labels, m)
		expect.Fails(t, err, "correction: refit: ", labels)
	}
}

// recorded returns the given labels of the first n examples of testdata/audit.py and the out-of-fold logits of their
// first and second networks.
func recorded(t *testing.T, name string, n, c int) (given []int, first, second []float32) {
	t.Helper()
	f := expect.Got(os.Open("testdata/audit_" + name + ".bin.gz"))(t)
	defer func() { _ = f.Close() }()
	data := expect.Got(io.ReadAll(expect.Got(gzip.NewReader(f))(t)))(t)
	for row := range slices.Chunk(data[:n*(2+2*c)], 2+2*c) {
		given = append(given, int(row[1]))
		for k, v := range row[2:] {
			if z := -float32(v) / 4; k < c {
				first = append(first, z)
			} else {
				second = append(second, z)
			}
		}
	}
	return given, first, second
}

// For second-stage networks of digits, the fit is nearer than T-hat to the T that made the labels, or very near it.
func TestRefitOfNetworks(t *testing.T) {
	symmetric := expect.Got(correction.Symmetric(correctiontest.Digits, .2))(t)
	for name, m := range map[string]*correction.Matrix{
		"symmetric_2": symmetric, "asymmetric_4": correctiontest.HighNoise(t, .4),
	} {
		const n, c, least = 3000, 10, .02
		given, first, second := recorded(t, name, n, c)
		e, err := estimators.Estimate(correctiontest.Digits, first, given, estimators.Options{Name: "vertices",
			Prior: 1})
		expect.OK(t, err)
		r := expect.Got(judging.Fit(judging.Input{Logits: second, Labels: given, T: e.T, Corrected: true, Refit: true}))(t)
		if before, after := correction.RowError(e.T, m), correction.RowError(r.T, m); after > max(least, .6*before) {
			t.Errorf("%s: row error %.3f, of T-hat %.3f", name, after, before)
		}
	}
}
