package similar

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/torch/torchtest"
)

// The discriminants equal explicit sums over the other parts, and do not depend on the example's own
// share.
func TestDiscriminants(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(2, 1))
		const n, d, c = 60, 4, 3
		features, shares, part := make([]float32, n*d), make([]float32, n*c), make([]int, n)
		for x := range n {
			part[x] = 1 + x%2
			for j := range d {
				value := rng.NormFloat64() + float64(x%c*(j+1)%c)
				features[x*d+j] = 100*float32(j) + float32(math.Pow(10, float64(j))*value)
			}
			u := rng.Float32()
			shares[x*c+x%c], shares[x*c+(x+1)%c] = 1-u/2, u/2
		}
		ridges := []float64{.1, 2}
		got := Discriminants(features, shares, part, ridges)
		for k, ridge := range ridges {
			for x := range n {
				want := discriminant(features, shares, part, x, ridge)
				for j := range c {
					if math.Abs(float64(got[k][x*c+j])-want[j]) > 1e-3*(1+math.Abs(want[j])) {
						t.Fatalf("ridge %v, example %d: %v, want %v", ridge, x, got[k][x*c:(x+1)*c], want)
					}
				}
			}
		}
		shares[0], shares[1], shares[2] = 0, 0, 1
		if again := Discriminants(features, shares, part, ridges); again[0][0] != got[0][0] || again[0][c] == got[0][c] {
			t.Error("the share of an example depends on itself, or not on another part")
		}
	})
}

// discriminant computes the discriminant of one example by sums in float64.
func discriminant(features, shares []float32, part []int, x int, ridge float64) []float64 {
	n := len(part)
	d, c := len(features)/n, len(shares)/n
	columns := mat.NewDense(n, d, nil)
	for j := range d {
		mean, square := 0., 0.
		for i := range n {
			mean += float64(features[i*d+j]) / float64(n)
		}
		for i := range n {
			square += math.Pow(float64(features[i*d+j])-mean, 2) / float64(n)
		}
		for i := range n {
			columns.Set(i, j, (float64(features[i*d+j])-mean)/math.Sqrt(square))
		}
	}
	class, means := make([]float64, c), mat.NewDense(c, d, nil)
	count := 0.
	others := func(do func(i, k int, w float64)) {
		for i := range n {
			for k := range c {
				if part[i] != part[x] {
					do(i, k, float64(shares[i*c+k]))
				}
			}
		}
	}
	others(func(i, k int, w float64) {
		count, class[k] = count+w, class[k]+w
		for j := range d {
			means.Set(k, j, means.At(k, j)+w*columns.At(i, j))
		}
	})
	for k := range c {
		for j := range d {
			means.Set(k, j, means.At(k, j)/class[k])
		}
	}
	within := mat.NewDense(d, d, nil)
	others(func(i, k int, w float64) {
		for a := range d {
			for b := range d {
				within.Set(a, b, within.At(a, b)+w/count*(columns.At(i, a)-means.At(k, a))*(columns.At(i, b)-means.At(k, b)))
			}
		}
	})
	trace := mat.Trace(within)
	for a := range d {
		within.Set(a, a, within.At(a, a)+ridge*trace/float64(d))
	}
	var inverse mat.Dense
	if err := inverse.Inverse(within); err != nil {
		panic(err)
	}
	out := make([]float64, c)
	for k := range c {
		m := means.RowView(k)
		out[k] = mat.Inner(columns.RowView(x), &inverse, m) - mat.Inner(m, &inverse, m)/2 + math.Log(class[k]/count)
	}
	return out
}
