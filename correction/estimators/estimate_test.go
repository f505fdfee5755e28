package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// numpy 2.4.6, testdata/percentile.py; rows within 1e-12.
func TestPercentileMatchesPublished(t *testing.T) {
	var golden struct {
		Classes int
		Logits  []float32
		Cases   []struct {
			Quantile float64
			Anchors  []int
			Rows     [][]float64
		}
	}
	readGolden(t, "percentile", &golden)
	expect.Same(t, 3, len(golden.Cases), "golden cases")
	for _, want := range golden.Cases {
		before := slices.Clone(golden.Logits)
		o := Options{Name: "percentile", Quantile: want.Quantile}
		e := estimated(t, correctiontest.Digits[:golden.Classes], golden.Logits, nil, o)
		expect.Same(t, want.Anchors, e.Anchors, fmt.Sprintf("q = %v: anchors", want.Quantile))
		expect.Same(t, want.Rows, e.T.Rows(), cmpopts.EquateApprox(0, 1e-12), fmt.Sprintf("q = %v: T-hat", want.Quantile))
		expect.Same(t, before, golden.Logits, "logits after Estimate")
	}
}

// The softmax of the first three rows is 1 in float64 too; logits rank them.
func TestSaturatedPosteriorsAreRanked(t *testing.T) {
	z := []float32{40, 0, 60, 0, 50, 0, 0, 45, 0, 1}
	e := estimated(t, correctiontest.Digits[:2], z, nil, Options{Name: "argmax"})
	expect.Same(t, []int{1, 3}, e.Anchors, "anchors")
}

// The anchor is below the quantile of its class, and the row is the mean of the posteriors nearest to it.
func TestClassQuantileAverages(t *testing.T) {
	posteriors := [][]float64{{.9, .1}, {.8, .2}, {.7, .3}, {.3, .7}, {.2, .8}, {.1, .9}}
	var z []float32
	for _, p := range posteriors {
		z = append(z, float32(math.Log(p[0])), float32(math.Log(p[1])))
	}
	noisy := []int{0, 0, 0, 1, 1, 1}
	// q = 1 - .6/2 = .7 is position 3.5 of .1 .2 .3 .7 .8 .9, which cuts from .75 up. So the anchor has .7, and its
	// three nearest posteriors are .7 .8 .9.
	e := estimated(t, correctiontest.Digits[:2], z, noisy, Options{Name: "class-quantile", Kappa: .6, Average: 3})
	expect.Same(t, []int{2, 3}, e.Anchors, "anchors")
	expect.Same(t, [][]float64{{.8, .2}, {.2, .8}}, e.T.Rows(), cmpopts.EquateApprox(0, 1e-6), "T-hat")
}

// If T_ki > T_ii, as in the paper's asymmetric noise at N = .6, the rows are right but their names wrong, and
// warnings have to report it.
func TestHighNoisePermutesRowsAndWarns(t *testing.T) {
	m := correctiontest.HighNoise(t, .6)
	rng := rand.New(rand.NewPCG(17, 18))
	clean := correctiontest.Simplex(rng, 1000, 10, func(k int) float64 {
		if k < 10 {
			return 1
		}
		return 0
	})
	e := estimated(t, correctiontest.Digits, correctiontest.NoisyLogits(m, clean), nil, Options{Name: "argmax"})
	// Class 1 keeps its anchor (it keeps all labels), 7 gets the anchor of 2 (.6 > .4), 5 and 6 swap.
	expect.Same(t, []int{0, 1, 2, 3, 4, 6, 5, 2, 8, 9}, e.Anchors, "anchors")
	if !correction.RowsPermuted(e.T, m) {
		t.Error("swapped rows 5 and 6 were not seen")
	}
	expect.Says(t, e.Warnings, "cannot tell classes 2, 7 apart, example 2 is the anchor", "in class 2 (40 %), 3 (40 %)",
		"condition number")
}

// A class without examples in X' has no anchor; every estimator names it in a warning.
func TestAbsentClassIsNamed(t *testing.T) {
	classes := []string{"cat", "dog", "owl", "newt"}
	m := symmetric(t, classes, .3)
	rng := rand.New(rand.NewPCG(19, 20))
	clean := correctiontest.Simplex(rng, 3000, 3, func(k int) float64 { return float64(k % 2) })
	noisy := make([]int, len(clean))
	for i := range clean {
		clean[i] = append(clean[i], 0)
		noisy[i] = i % 3
	}
	for _, name := range ofPosteriors() { // gold's error names it
		for _, labels := range [][]int{noisy, append(slices.Clone(noisy[1:]), 3)} {
			e := estimated(t, classes, correctiontest.NoisyLogits(m, clean), labels, Options{Name: name})
			expect.Says(t, e.Warnings, "newt")
			if counts := []string{"vertices", "held-out", "dual-t", "confident-joint"}; !slices.Contains(counts, name) &&
				math.Abs(e.T.At(0, 0)-.7) > .05 {
				t.Errorf("%s: row of cat has %.3f on the diagonal, want .7", name, e.T.At(0, 0))
			}
		}
	}
}
