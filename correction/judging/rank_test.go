package judging

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// The ranking is that of another judgement and so is what is asked for; the number of wrong labels stays, and the
// probabilities fall along the ranking.
func TestRankBy(t *testing.T) {
	few, err := correction.Symmetric([]string{"a", "b"}, .01)
	if err != nil {
		t.Fatal(err)
	}
	many, err := correction.NewMatrix([]string{"a", "b"}, [][]float64{{.6, .4}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	g := []float32{.001, .999, .2, .8, .995, .005, .5, .5}
	given := []int{0, 1, 1, 0}
	a, by := mustAudit(t, g, given, few), mustAudit(t, g, given, many)
	before, sum := slices.Sorted(slices.Values(a.Wrong)), a.ExpectedWrong
	order, again := a.Order(), by.Order()
	if slices.Equal(order, again) {
		t.Fatal("both rank alike: this is no test")
	}
	a.RankBy(by)
	if diff := cmp.Diff(again, a.Order()); diff != "" {
		t.Errorf("the ranking (-want +got):\n%s", diff)
	}
	var along []float64
	for _, x := range slices.Backward(again) {
		along = append(along, a.Wrong[x])
	}
	if !slices.Equal(along, before) || a.ExpectedWrong < sum-1e-12 || a.ExpectedWrong > sum+1e-12 {
		t.Errorf("probabilities along the ranking, the least first: %v, in all %v; want %v, %v", along, a.ExpectedWrong, before, sum)
	}
	for x, w := range a.Wrong {
		if changed := a.Suggested[x] != given[x]; changed != (w > LikelyWrong) {
			t.Errorf("label %d is wrong with probability %.3f, and %s is suggested for %s", x, w, few.Class(a.Suggested[x]), few.Class(given[x]))
		}
	}
	e := &estimators.Estimation{}
	if got, want := Ask(e, a, nil, 4), Ask(e, by, nil, 4); !slices.Equal(got, want) {
		t.Errorf("asked for are %v, want %v", got, want)
	}
	a.Know(correction.Trusted{Index: again[0], Label: given[again[0]]})
	if diff := cmp.Diff(again, by.Order()); diff != "" {
		t.Errorf("what is known of one judgement has changed the other (-want +got):\n%s", diff)
	}
}

// Without T there is nothing to loosen.
func TestLoosenWithoutT(t *testing.T) {
	a, err := SelfConfidence([]float32{.9, .1, .4, .6, .2, .8}, []int{0, 0, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	a.Loosen()
	if got := a.Order(); !slices.Equal(got, []int{1, 2, 0}) {
		t.Errorf("the ranking is %v, want 1, 2, 0", got)
	}
}

// One ranking is better than another if it has the labels that are known to be wrong before those that are known to be
// right far oftener, and enough of both are known.
func TestBetter(t *testing.T) {
	const n = 20
	given := make([]int, n)
	var up, down []float32
	var known []correction.Trusted
	for x := range n {
		p := .3 + .02*float32(x)
		up, down = append(up, p, 1-p), append(down, 1-p, p)
		known = append(known, correction.Trusted{Index: x, Label: 0})
		if x < n/2 {
			known[x].Label = 1
		}
	}
	symmetric, err := correction.Symmetric([]string{"a", "b"}, .2)
	if err != nil {
		t.Fatal(err)
	}
	good, bad := mustAudit(t, up, given, symmetric), mustAudit(t, down, given, symmetric)
	if !good.Better(bad, known) || bad.Better(good, known) || good.Better(good, known) {
		t.Error("the ranking with all wrong labels first is not the better one")
	}
	if good.Better(bad, known[6:]) || good.Better(bad, known[:14]) || !good.Better(bad, known[5:15]) {
		t.Error("fewer than five right or wrong labels decide")
	}
}
