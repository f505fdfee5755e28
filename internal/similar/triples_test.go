package similar

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The neighbours of an example have the largest cosines with it. There are more examples
// than one block of similarities, and one has no features.
func TestTriplesAreNearest(t *testing.T) {
	const n, d = 300, 5
	rng := rand.New(rand.NewPCG(61, 62))
	features := make([]float32, n*d)
	for k := range features[d:] {
		features[d+k] = float32(rng.NormFloat64())
	}
	cosine := func(x, y int) float64 { return cosineOf(features[x*d:(x+1)*d], features[y*d:(y+1)*d]) }
	torchtest.NoLeak(t, func() {
		for x, triple := range Triples(features, n) {
			if triple[0] != x || triple[1] == x || triple[2] == x || triple[1] == triple[2] {
				t.Fatalf("example %d: %v", x, triple)
			}
			farther := cosine(x, triple[2])
			for y := range n {
				if y != x && y != triple[1] && y != triple[2] && cosine(x, y) > farther+1e-6 {
					t.Fatalf("example %d: %d is nearer than %v", x, y, triple)
				}
			}
			if cosine(x, triple[1]) < farther-1e-6 {
				t.Fatalf("example %d: the nearer one of %v is not first", x, triple)
			}
		}
	})
}

// If there are more examples than the limit, evenly spaced ones are used.
func TestTriplesOfMany(t *testing.T) {
	features := make([]float32, 20)
	for x := range 10 {
		features[2*x], features[2*x+1] = float32(math.Cos(float64(x)/10)), float32(math.Sin(float64(x)/10))
	}
	torchtest.NoLeak(t, func() {
		expect.Same(t, [][3]int{{0, 2, 5}, {2, 0, 5}, {5, 7, 2}, {7, 5, 2}}, triples(features, 10, 4), "triples")
	})
}
