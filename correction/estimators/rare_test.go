package estimators

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A few misspelt labels do not change the rows of the other classes.
func TestRareClassChangesNoOther(t *testing.T) {
	const n, c = 3000, 4
	m := correction.Normalized([]string{"ct", "cat", "dog", "owl"}, [][]float64{
		{1, 0, 0, 0}, {.002, .898, .05, .05}, {.002, .15, .798, .05}, {.002, .05, .1, .848},
	})
	rng := rand.New(rand.NewPCG(51, 52))
	clean := correctiontest.Simplex(rng, n, c-1, func(int) float64 { return 1 - rng.Float64()*rng.Float64() })
	for x := range clean {
		clean[x] = append([]float64{0}, clean[x]...)
	}
	e := correctiontest.Drawn(t, rng, m, clean)
	found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
	expect.Same(t, []int{0, 0}, []int{found.counted[0], len(found.near[0])}, "counted for the rare class")
	for i := 1; i < c; i++ {
		if d := correction.RowDistance(found.T, m, i, i); d > .1 {
			t.Errorf("row %d is %.2f off: %v", i, d, found.T.Row(i))
		}
	}
	if right := found.T.At(0, 0); right < .8 || right > .9 { // as in the other rows
		t.Errorf("%.2f of the rare class's labels are right", right)
	}
	expect.Says(t, found.Warnings, "class ct has too few labels for a row of T-hat")
	times := slices.Repeat([]int{1}, n)
	if again := correction.RowError(found.recount(times), found.T); again > 1e-4 {
		t.Errorf("T-hat of the same examples is %v off", again)
	}
}
