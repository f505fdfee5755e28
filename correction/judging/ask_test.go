package judging

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

// First come the examples that name ambiguous rows, three for each and each of its own
// class, then the ones in doubt; those that are known are left out. The labels of the
// first name the rows.
func TestAskNamesRowsFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	m := correctiontest.HighNoise(t, .6)
	e := correctiontest.NewExample(t, rng, m, 10000)
	found := estimateJudged(t, e, estimators.Options{Name: "vertices"})
	if !slices.Equal(found.Unnamed, []int{2, 5, 6, 7}) {
		t.Fatalf("unnamed classes %v", found.Unnamed)
	}
	a := auditExample(t, e, found.T)
	rows := len(found.Unnamed)
	asked := Ask(found, a, nil, 3*rows+100)
	if len(asked) != 3*rows+100 {
		t.Fatalf("%d asked", len(asked))
	}
	var trusted []correction.Trusted
	for _, x := range asked[:3*rows] {
		trusted = append(trusted, correction.Trusted{Index: x, Label: e.Labels[x]})
	}
	named := estimateJudged(t, e, estimators.Options{Name: "vertices", Trusted: trusted})
	if !correction.RowsPermuted(found.T, m) || correction.RowsPermuted(named.T, m) || len(named.Unnamed) > 0 {
		t.Error("the labels asked for do not name the rows")
	}
	if x := asked[3*rows]; a.doubt[x] < slices.Max(a.doubt) {
		t.Errorf("example %d (%v) is not the most doubtful", x, a.doubt[x])
	}
	for k, x := range asked[3*rows+1:] {
		if before := asked[3*rows+k]; a.doubt[x] > a.doubt[before] {
			t.Fatalf("example %d (%v) comes after %d (%v)", x, a.doubt[x], before, a.doubt[before])
		}
	}
	again := Ask(found, a, trusted, 1000)
	if slices.Contains(again, asked[0]) || !slices.Contains(again, asked[3*rows]) {
		t.Error("known examples are asked for again, or others are not")
	}
	sorted := slices.Sorted(slices.Values(again))
	if len(slices.Compact(sorted)) != 1000 {
		t.Error("an example is asked for twice")
	}
	if all := Ask(found, a, nil, 20000); len(all) != 10000 {
		t.Errorf("%d of 10000 examples", len(all))
	}
}
