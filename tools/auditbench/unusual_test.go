package auditbench

import (
	"math"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch/torchtest"
)

// Planted first, third and last of five: (1 + 2/3 + 3/5) / 3, and two of the first three.
func TestPrecisions(t *testing.T) {
	average, first := precisions([]float64{.1, .9, .5, .7, .3}, []bool{true, true, true, false, false})
	if want := (1 + 2./3 + 3./5) / 3; math.Abs(average-want) > 1e-12 || math.Abs(first-2./3) > 1e-12 {
		t.Errorf("average precision %v, precision %v; want %v and 2/3", average, first, want)
	}
	equal := make([]float64, 10_000) // chance, whatever their order is
	planted := slices.Repeat([]bool{true, false, false, false, false}, 2000)
	if average, first := precisions(equal, planted); math.Abs(average-.2) > .02 || math.Abs(first-.2) > .03 {
		t.Errorf("of equal scores: average precision %v, precision %v; want a fifth", average, first)
	}
}

// The mean distance is that to the nearest others: of examples at the angles 0, 2, 4, ... of a quarter circle.
func TestNearDistances(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const n, step = 46, 2 * math.Pi / 180
		var features []float32
		for k := range n {
			length := float64(k + 1)
			features = append(features, float32(length*math.Cos(step*float64(k))), float32(length*math.Sin(step*float64(k))))
		}
		got, want := nearDistances(features, n), 0.
		for k := 1; k <= nearestMean; k++ {
			want += (1 - math.Cos(step*float64(k))) / nearestMean
		}
		if len(got) != n || math.Abs(got[0]-want) > 1e-5 || got[n/2] >= got[0] {
			t.Errorf("distances %v, want %v of the first and less in the middle", got, want)
		}
	})
}
