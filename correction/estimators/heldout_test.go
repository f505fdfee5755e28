package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// differ skips a row that one of the samples lacks. Expected: the chi-squared distribution with one degree of freedom
// for each other row of two classes.
func TestDifferLeavesOutEmptyRows(t *testing.T) {
	a, b := [][]float64{{30, 10}}, [][]float64{{20, 25}}
	want := differ(a, b)
	if math.Abs(want-.0038) > 1e-4 { // erfc(sqrt(G / 2)), G = 8.3607
		t.Errorf("p is %.5f", want)
	}
	for name, empty := range map[string][2][]float64{"first": {{0, 0}, {7, 3}}, "second": {{7, 3}, {0, 0}},
		"both": {{0, 0}, {0, 0}}} {
		expect.Same(t, want, differ(append(a, empty[0]), append(b, empty[1])), name, "sample without the row")
	}
	expect.Same(t, 1, differ([][]float64{{0, 0}}, [][]float64{{1, 2}}), "p of nothing to compare")
}

// byHeart simulates a network that has memorized the given labels of all examples but held ones: it moves a share of
// the probability to the given label.
func byHeart(e correctiontest.Example, share float64, held []int) correctiontest.Example {
	c := e.T.Dim()
	e.Logits = slices.Clone(e.Logits)
	known := slices.Repeat([]bool{true}, len(e.Noisy))
	for _, x := range held {
		known[x] = false
	}
	for x, y := range e.Noisy {
		row := e.Logits[x*c : (x+1)*c]
		for k, p := range correction.Softmax(row, c) {
			if known[x] {
				p *= float32(1 - share)
				if k == y {
					p += float32(share)
				}
			}
			row[k] = float32(math.Log(float64(p)))
		}
	}
	return e
}

// If a network has memorized labels, T-hat from its training examples has too little noise, and held-out examples
// correct it. If it has not, held-out examples change nothing.
func TestHeldOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, c := range []int{2, 3, 5} {
		for k := range 1 {
			m := correctiontest.RandomMatrix(t, rng, c)
			e := correctiontest.NewExample(t, rng, m, 2000*c)
			held := rng.Perm(2000 * c)[:200*c]

			vertices := estimateExample(t, e, Options{Name: "vertices"})
			if found := estimateExample(t, e, Options{Name: "held-out", Held: held}); correction.RowError(found.T,
				vertices.T) > 0 {
				t.Errorf("c = %d, matrix %d: held-out examples have changed\n%v to\n%v", c, k, vertices.T, found.T)
			}

			e = byHeart(e, .4, held)
			vertices = estimateExample(t, e, Options{Name: "vertices"})
			found := estimateExample(t, e, Options{Name: "held-out", Held: held})
			if before, after := correction.RowError(vertices.T, m), correction.RowError(found.T, m); before < .05 ||
				after > before/2 {
				t.Errorf("c = %d, matrix %d: row error %.3f, of vertices %.3f", c, k, after, before)
			}
			if correction.RowsPermuted(found.T, m) {
				t.Errorf("c = %d, matrix %d: rows are permuted", c, k)
			}
			if found.near != nil {
				t.Error("rows that were fitted are taken for counts")
			}
			if without := estimateExample(t, e, Options{Name: "held-out"}); correction.RowError(without.T, vertices.T) > 0 {
				t.Error("without held-out examples it is not vertices")
			}
		}
	}
}
