package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/torch/torchtest"
)

// The distances are those of sums by hand, without the example itself.
func TestClassDistances(t *testing.T) {
	torchtest.NoLeak(t, func() { classDistances(t) })
}

func classDistances(t *testing.T) {
	t.Helper()
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
	cosine := func(x, y int) float64 {
		var xy, xx, yy float64
		for j := range d {
			a, b := float64(features[x*d+j]), float64(features[y*d+j])
			xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
		}
		return xy / math.Sqrt(max(xx*yy, 1e-9))
	}
	got := ClassDistances(features, labels, classes)
	for x := range n {
		for class := range classes {
			sum, others := 0., 0.
			for y := range n {
				if y != x && labels[y] == class {
					sum, others = sum+1-cosine(x, y), others+1
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
}
