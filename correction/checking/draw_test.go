package checking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/expect"
)

// Examples are drawn as often as Chance says, with replacement.
func TestNewDraw(t *testing.T) {
	const n = 200000
	wT, wE := []float64{0, .5, .2, 1}, []float64{.1, .5, .5, 0}
	for _, c := range []struct{ wE, want []float64 }{
		{wE, []float64{.125 + .05/1.4, .125, .125 + .15/1.4, .125 + .5/1.4}},
		{wT, []float64{.25, .25, .25, .25}}, // no disagreement
	} {
		drawn := make([]float64, 4)
		for _, check := range draw(t, wT, c.wE, n, rand.New(rand.NewPCG(2, 2))) {
			drawn[check.Index]++
			if want := c.want[check.Index]; math.Abs(check.Chance-want) > 1e-12 {
				t.Fatalf("example %d has the chance %v, want %v", check.Index, check.Chance, want)
			}
		}
		for x, want := range c.want {
			if got := drawn[x] / n; math.Abs(got-want) > 5*math.Sqrt(want/n) {
				t.Errorf("example %d is drawn with the frequency %v, want %v", x, got, want)
			}
		}
	}
	for _, wrong := range [][]float64{nil, {.1}, {0, .5, .2, 2}} {
		expect.Fails(t, expect.Err(checking.NewDraw(wT, wrong, n, rand.New(rand.NewPCG(2, 2)))), "checking: ", wrong)
	}
}
