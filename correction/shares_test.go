package correction_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/internal/correctiontest"
)

// TrueShares recovers the shares of the true classes for any invertible T; a share that would be negative is 0.
func TestTrueShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 78))
	for range 20 {
		c := 2 + rng.IntN(9)
		m := correctiontest.RandomMatrix(t, rng, c)
		pi := correctiontest.Simplex(rng, 1, c, func(int) float64 { return 0 })[0]
		share := make([]float64, c)
		for j := range share {
			for i, p := range pi {
				share[j] += p * m.At(i, j)
			}
		}
		for i, got := range m.TrueShares(share, 2000) {
			if math.Abs(got-pi[i]) > 1e-3 {
				t.Errorf("c = %d: class %d has a share of %v, want %v", c, i, got, pi[i])
			}
		}
	}
	if got := symmetric(t, .2).TrueShares([]float64{.1, .9}, 2000); got[0] > 1e-6 {
		t.Errorf("shares %v, want 0 and 1", got)
	}
}
