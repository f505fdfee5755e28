package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The interval holds the accuracy against true labels, and not the accuracy against given labels, if 20 to 40 % of
// these are wrong.
func TestCleanAccuracy(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 79))
		e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .4), 10000)
		found := estimateExample(t, e, Options{Name: "vertices"})
		predicted := slices.Clone(e.Labels)
		right, given := 0., 0.
		for x, y := range e.Labels {
			if rng.IntN(5) == 0 {
				predicted[x] = rng.IntN(10)
			}
			if predicted[x] == y {
				right += 1e-4
			}
			if predicted[x] == e.Noisy[x] {
				given += 1e-4
			}
		}
		got, in, err := CleanAccuracy(predicted, e.Noisy, found.T, found.Draws(200, rng), rng)
		expect.OK(t, err)
		if math.Abs(got-right) > .05 || right < in.Low-.02 || right > in.High+.02 || given > in.Low {
			t.Errorf("seed %d: accuracy %.3f in %.3f, of the given labels %.3f; the truth is %.3f", seed, got, in, given, right)
		}
	}
}

// If predictions agree with all of ten labels, the accuracy may be as low as .74; if with none, as high as .26.
func TestCleanAccuracyOfFew(t *testing.T) {
	identity := symmetric(t, []string{"a", "b"}, 0)
	given := make([]int, 10)
	for k, predicted := range [][]int{make([]int, 10), slices.Repeat([]int{1}, 10)} {
		got, interval, err := CleanAccuracy(predicted, given, identity, slices.Repeat([]*correction.Matrix{identity}, 100),
			rand.New(rand.NewPCG(1, 2)))
		want := []correction.Interval{{Low: .7411, High: 1}, {High: .2589}}[k]
		if err != nil || math.Abs(got-float64(1-k)) > 1e-9 || math.Abs(interval.Low-want.Low) > 1e-4 ||
			math.Abs(interval.High-want.High) > 1e-4 {
			t.Errorf("%v, %v of %v, want %v", err, got, interval, want)
		}
	}
}
