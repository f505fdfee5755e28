package similar

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The neighbours equal the result of an explicit search, and none is in the same group.
func TestNearest(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(1, 1))
		const n, d, k = 300, 5, 4
		features := make([]float32, n*d)
		means := make([]float32, d)
		for i := range features {
			features[i] = float32(rng.NormFloat64()) + 3 // far from the origin: the mean is subtracted
			means[i%d] += features[i] / n
		}
		row := func(x int) []float32 {
			out := slices.Clone(features[x*d : (x+1)*d])
			for j, m := range means {
				out[j] -= m
			}
			return out
		}
		group := make([]int32, n)
		for x := range group {
			group[x] = int32(x / 2)
		}
		for name, groups := range map[string][]int32{"no groups": nil, "pairs": group} {
			got := Nearest(features, n, k, groups)
			for x := range n {
				order, cosines := make([]int32, 0, n), make([]float64, n)
				for y := range n {
					cosines[y] = cosineOf(row(x), row(y))
					if y != x && (groups == nil || groups[y] != groups[x]) {
						order = append(order, int32(y))
					}
				}
				slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(cosines[b], cosines[a]) })
				expect.Same(t, order[:k], got[x*k:(x+1)*k], name, x)
			}
		}
		if got := Nearest(features[:3*d], 3, k, nil); len(got) != 3*k || got[2] != -1 || got[1] < 0 {
			t.Errorf("of three examples: %v", got)
		}
	})
}
