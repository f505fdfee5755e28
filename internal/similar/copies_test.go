package similar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Copies are found in features of any dimension, even if there are more of them than neighbours, with few pairs by
// chance.
func TestCopies(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const n, d = 2000, 40
		for _, dimensions := range []int{2, 4, 10, 40} {
			rng := rand.New(rand.NewPCG(6, uint64(dimensions)))
			features := make([]float32, n*d)
			row := func(k int) []float32 { return features[k*d : (k+1)*d] }
			for k := range n {
				for j := range dimensions {
					row(k)[j] = float32(rng.NormFloat64())
				}
				row(k)[d-1] = 3 // the angles between them are small
			}
			var want []Pair
			blend := func(a, b int) { // b becomes nearly a
				for j, v := range row(a) {
					row(b)[j] = v + .0001*float32(rng.NormFloat64())
				}
				want = append(want, Pair{A: a, B: b})
			}
			for k := range 20 {
				blend(k, n-1-k)
			}
			for a := 100; a < 110; a++ { // ten of one
				copy(row(a), row(100))
			}
			got := Copies(features, n)
			for _, p := range want {
				// In two dimensions examples are so close that float32 does not distinguish copies.
				if dimensions > 2 && !slices.ContainsFunc(got, func(q Pair) bool { return q.A == p.A && q.B == p.B }) {
					t.Errorf("%d dimensions: the copy %d of %d was not found", dimensions, p.B, p.A)
				}
			}
			joined := map[int]bool{}
			others := 0
			for _, p := range got {
				if p.A >= 100 && p.B < 110 {
					joined[p.A], joined[p.B] = true, true
				} else if p.A+p.B != n-1 || p.A >= 20 {
					others++
				}
				if math.Abs(p.Cosine-cosineOf(row(p.A), row(p.B))) > 1e-5 || p.A >= p.B {
					t.Errorf("%d dimensions: %+v", dimensions, p)
				}
			}
			if dimensions > 2 && len(joined) != 10 || others > 3 {
				t.Errorf("%d dimensions: %d of ten copies were found, and %d that are none", dimensions, len(joined), others)
			}
			if !slices.IsSortedFunc(got, func(x, y Pair) int { return x.A*n + x.B - y.A*n - y.B }) {
				t.Errorf("%d dimensions: the pairs are not sorted", dimensions)
			}
		}
		same := slices.Repeat([]float32{1, 2}, 20)
		expect.Same(t, 0, len(Copies(same, 20)), "of features that are all the same")
		expect.Same(t, nil, Copies(same[:12], 6), "of six examples")
	})
}

// cosineOf returns the cosine of two rows.
func cosineOf(a, b []float32) float64 {
	x, y := make([]float64, len(a)), make([]float64, len(b))
	for k := range a {
		x[k], y[k] = float64(a[k]), float64(b[k])
	}
	return floats.Dot(x, y) / max(1e-12, floats.Norm(x, 2)*floats.Norm(y, 2))
}
