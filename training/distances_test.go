package training

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch/torchtest"
)

// The distances are those of a search by hand, without the example itself.
func TestClassDistances(t *testing.T) {
	torchtest.NoLeak(t, func() { classDistances(t) })
}

func classDistances(t *testing.T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	const n, d, k, classes = 2700, 4, 3, 4
	features := make([]float32, n*d)
	for i := range features {
		features[i] = float32(rng.NormFloat64()) + 1 // a mean, which matters
	}
	labels := make([]int, n) // 2681 of class 0: every third is looked at
	for x := range 9 {
		labels[300*x], labels[300*x+1] = 1, 2
	}
	labels[9] = 3 // too few
	sizes := []int{3, 2, 2, 0}
	cosine := func(x, y int) float64 {
		var xy, xx, yy float64
		for j := range d {
			a, b := float64(features[x*d+j]), float64(features[y*d+j])
			xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
		}
		return xy / math.Sqrt(xx*yy)
	}
	got := ClassDistances(features, labels, classes, k)
	for x := range n {
		for class, near := range sizes {
			want := -1.
			if near > 0 {
				var all []float64
				place := 0
				for y := range n {
					if labels[y] != class {
						continue
					}
					if y != x && (class > 0 || place%3 == 0) {
						all = append(all, 1-cosine(x, y))
					}
					place++
				}
				slices.Sort(all)
				want = 0
				for _, v := range all[:near] {
					want += v / float64(near)
				}
			}
			if v := float64(got[x*classes+class]); math.Abs(v-want) > 1e-5 {
				t.Fatalf("example %d of class %d, class %d: distance %v, want %v", x, labels[x], class, v, want)
			}
		}
	}
}
