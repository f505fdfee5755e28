package estimators

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/internal/correctiontest"
)

// Draws scatter around T-hat like counts, by sqrt(T (1-T) / counted).
func TestDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .2), 5000)
	found := estimateExample(t, e, Options{Name: "vertices"})
	const n = 300
	draws := found.Draws(n, rng)
	for _, flip := range [][2]int{{2, 7}, {3, 8}, {5, 6}, {6, 5}, {7, 1}} {
		values := make([]float64, n)
		for k, d := range draws {
			values[k] = d.At(flip[0], flip[1])
		}
		mean, got := stat.PopMeanStdDev(values, nil)
		v := found.T.At(flip[0], flip[1])
		want := math.Sqrt(v * (1 - v) / float64(found.counted[flip[0]]))
		if math.Abs(mean-v) > want/2 || got < .8*want || got > 1.2*want {
			t.Errorf("T[%d][%d] is %.3f: draws of %.3f, scatter %.4f, want %.4f", flip[0], flip[1], v, mean, got, want)
		}
	}
	found = estimateExample(t, e, Options{Name: "argmax"})
	if draws := found.Draws(2, rng); len(draws) != 2 || draws[1] != found.T {
		t.Errorf("draws of posteriors: %v", draws)
	}
}
