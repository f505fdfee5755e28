package estimators

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Rows that differ only by chance become alike, which brings them nearer to T; rows with few kinds of wrong labels
// hardly change.
func TestImagined(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	two := correctiontest.NewExample(t, rng, symmetric(t, []string{"a", "b"}, .2), 2000)
	pair := estimateExample(t, two, Options{Name: "vertices", Prior: 1, Alone: true})
	expect.Same(t, 1, pair.pseudo, "pseudo-examples for each of two rows")
	for _, tt := range []struct {
		m         *correction.Matrix
		low, high float64 // number of pseudo-examples
		better    float64 // least relative reduction of the error
	}{{symmetric(t, correctiontest.Digits, .2), 60, mostPseudo, .3}, {correctiontest.HighNoise(t, .4), 1, 10, -.2}} {
		e := correctiontest.NewExample(t, rng, tt.m, 2000)
		one := &reading{rows: zeros(10)}
		found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
		for i := range 10 {
			for _, x := range found.of(i) {
				one.rows[i][e.Noisy[x]]++
			}
		}
		plain, pooled := correction.RowError(one.matrix(tt.m.Classes()), tt.m), correction.RowError(found.T, tt.m)
		if found.pseudo < tt.low || found.pseudo > tt.high || pooled > plain*(1-tt.better) {
			t.Errorf("%.1f pseudo-examples, want %v to %v; row error %.4f, without them %.4f", found.pseudo, tt.low, tt.high,
				pooled, plain)
		}
	}
}
