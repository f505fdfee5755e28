package judging

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

// The accuracy against true labels is in its interval, from labels of which 20 to 40 %
// are wrong, and the accuracy against given labels is not.
func TestCleanAccuracy(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 79))
		e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .4), 10000)
		found := estimateJudged(t, e, estimators.Options{Name: "vertices"})
		iv, err := NewIntervals(found, auditExample(t, e, found.T), rng)
		if err != nil {
			t.Fatal(err)
		}
		predicted := slices.Clone(e.Labels)
		right, given := 0., 0.
		for x, y := range e.Labels {
			if rng.IntN(5) == 0 {
				predicted[x] = rng.IntN(10)
			}
			right += oneIf(predicted[x] == y) / 1e4
			given += oneIf(predicted[x] == e.Noisy[x]) / 1e4
		}
		got, in, err := CleanAccuracy(predicted, e.Noisy, found.T, iv.Draws, rng)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-right) > .05 || right < in.Low-.02 || right > in.High+.02 || given > in.Low {
			t.Errorf("seed %d: accuracy %.3f in %.3f, of the given labels %.3f; the truth is %.3f", seed, got, in, given, right)
		}
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Of ten examples that are all predicted as labelled, the accuracy may be .74 as well, and of all wrong ones .26.
func TestCleanAccuracyOfFew(t *testing.T) {
	identity, err := correction.Identity([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	given := make([]int, 10)
	for k, predicted := range [][]int{make([]int, 10), slices.Repeat([]int{1}, 10)} {
		got, interval, err := CleanAccuracy(predicted, given, identity, slices.Repeat([]*correction.Matrix{identity}, 100), rand.New(rand.NewPCG(1, 2)))
		want := []correction.Interval{{Low: .7411, High: 1}, {High: .2589}}[k]
		if err != nil || math.Abs(got-float64(1-k)) > 1e-9 || math.Abs(interval.Low-want.Low) > 1e-4 || math.Abs(interval.High-want.High) > 1e-4 {
			t.Errorf("%v, %v of %v, want %v", err, got, interval, want)
		}
	}
}
