package similar

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/torch/torchtest"
)

// The distances equal explicit sums, without the example itself.
func TestClassDistances(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(5, 1))
		const n, d, classes = 300, 4, 4
		features := make([]float32, n*d)
		for i := range features {
			features[i] = float32(rng.NormFloat64()) + 1 // a mean, which matters
		}
		for j := range d {
			features[33*d+j] = 0 // of class 0
		}
		labels := make([]int, n)
		for x := range 8 {
			labels[30*x], labels[30*x+1] = 1, 2
		}
		labels[211], labels[9] = 0, 3 // 2 and 3 have too few
		row := func(x int) []float32 { return features[x*d : (x+1)*d] }
		got := ClassDistances(features, labels, classes)
		for x := range n {
			for class := range classes {
				sum, others := 0., 0.
				for y := range n {
					if y != x && labels[y] == class {
						sum, others = sum+1-cosineOf(row(x), row(y)), others+1
					}
				}
				want := sum / others
				if class > 1 {
					want = -1
				}
				if v := float64(got[x*classes+class]); math.Abs(v-want) > 1e-5 {
					t.Fatalf("example %d of class %d, class %d: distance %v, want %v", x, labels[x], class, v, want)
				}
			}
		}
	})
}
