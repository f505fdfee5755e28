package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

// The accuracy against true labels is in its interval, from labels of which 20 to 40 %
// are wrong, and the accuracy against given labels is not.
func TestCleanAccuracy(t *testing.T) {
	for seed := range uint64(10) {
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
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-right) > .05 || right < in.Low-.02 || right > in.High+.02 || given > in.Low {
			t.Errorf("seed %d: accuracy %.3f in %.3f, of the given labels %.3f; the truth is %.3f", seed, got, in, given, right)
		}
	}
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

func TestCleanAccuracyRefuses(t *testing.T) {
	half := correction.Normalized([]string{"a", "b"}, [][]float64{{1, 1}, {1, 1}})
	identity := correction.Normalized([]string{"a", "b"}, [][]float64{{1, 0}, {0, 1}})
	for want, run := range map[string]func() error{
		"1 predictions for 2 labels":    func() error { _, _, err := CleanAccuracy([]int{0}, []int{0, 1}, identity, nil, nil); return err },
		"0 predictions for 0 labels":    func() error { _, _, err := CleanAccuracy(nil, nil, identity, nil, nil); return err },
		"prediction of example 0 is 2":  func() error { _, _, err := CleanAccuracy([]int{2}, []int{0}, identity, nil, nil); return err },
		"given label of example 0 is 2": func() error { _, _, err := CleanAccuracy([]int{0}, []int{2}, identity, nil, nil); return err },
		"singular":                      func() error { _, _, err := CleanAccuracy([]int{0}, []int{0}, half, nil, nil); return err },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
