package estimators

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
)

// Rows that are alike but for chance become alike, which brings them nearer to T; rows of few kinds of wrong
// labels are hardly changed.
func TestImagined(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	two := correctiontest.NewExample(t, rng, symmetric(t, []string{"a", "b"}, .2), 2000)
	if found := estimateExample(t, two, Options{Name: "vertices", Prior: 1, Alone: true}); found.imagined != 1 {
		t.Errorf("%v examples are imagined for each of two rows, want 1", found.imagined)
	}
	for _, tt := range []struct {
		m         *correction.Matrix
		low, high float64 // of the imagined examples
		better    float64 // least part of the error that is gone
	}{{symmetric(t, correctiontest.Digits, .2), 60, mostImagined, .3}, {correctiontest.HighNoise(t, .4), 1, 10, -.2}} {
		e := correctiontest.NewExample(t, rng, tt.m, 2000)
		one := &reading{rows: zeros(10)}
		found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
		for i := range 10 {
			for _, x := range found.of(i) {
				one.rows[i][e.Noisy[x]]++
			}
		}
		plain, pooled := correction.RowError(one.matrix(tt.m.Classes()), tt.m), correction.RowError(found.T, tt.m)
		if found.imagined < tt.low || found.imagined > tt.high || pooled > plain*(1-tt.better) {
			t.Errorf("%.1f imagined examples, want %v to %v; row error %.4f, without them %.4f", found.imagined, tt.low, tt.high,
				pooled, plain)
		}
	}
}
