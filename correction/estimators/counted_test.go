package estimators

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/correctiontest"
)

func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	m := correctiontest.HighNoise(t, .2)
	if got := estimateExample(t, correctiontest.NewExample(t, rng, m, 10000), Options{Name: "vertices"}).Small(); len(got) > 0 {
		t.Errorf("classes of 1000 examples are small: %v", got)
	}
	if got := estimateExample(t, correctiontest.NewUnequal(t, rng, m, 3000), Options{Name: "vertices"}).Small(); !slices.Equal(got, []int{1, 3, 5, 7, 9}) {
		t.Errorf("small classes %v, want those of 60 examples", got)
	}
}
