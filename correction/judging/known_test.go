package judging

import (
	"math"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
)

// What a person says of a label replaces the judgement of it: the class of the given label
// has the wrong label, whatever the true one is, and the sum is that of the classes.
func TestKnow(t *testing.T) {
	m, err := correction.NewMatrix([]string{"a", "b", "c"}, [][]float64{{.8, .1, .1}, {.1, .8, .1}, {.1, .1, .8}})
	if err != nil {
		t.Fatal(err)
	}
	g := []float32{.5, .3, .2, .1, .8, .1, .2, .2, .6, .3, .3, .4}
	a := mustAudit(t, g, []int{0, 0, 2, 1}, m)
	before := slices.Clone(a.Wrong)
	a.Know(correction.Trusted{Index: 0, Label: 1}) // wrong
	a.Know(correction.Trusted{Index: 2, Label: 2}) // right
	if want := []float64{1, before[1], 0, before[3]}; !slices.Equal(a.Wrong, want) {
		t.Errorf("labels are wrong with probabilities %v, want %v", a.Wrong, want)
	}
	if want := []int{1, a.Suggested[1], 2, a.Suggested[3]}; !slices.Equal(a.Suggested, want) {
		t.Errorf("suggested labels %v, want %v", a.Suggested, want)
	}
	sum := 0.
	for k, want := range []float64{1 + before[1], before[3], 0} {
		sum += want
		if got := a.ExpectedByClass[k]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%v wrong labels of class %d, want %v", got, k, want)
		}
	}
	if math.Abs(a.ExpectedWrong-sum) > 1e-12 {
		t.Errorf("%v wrong labels, want %v", a.ExpectedWrong, sum)
	}
	if order := a.Order(); order[0] != 0 || order[3] != 2 {
		t.Errorf("order %v, want 0 first and 2 last", order)
	}
}
