package audit

import (
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

func labelled(pairs ...string) map[string]Decision {
	all := map[string]Decision{}
	for k := 0; k < len(pairs); k += 2 {
		all[pairs[k]] = Decision{ID: pairs[k], Label: pairs[k+1]}
	}
	return all
}

// Trusted labels that are of no example, or of another one by now, are left out, and said. What
// a person has decided comes before what the data says of its labels.
func TestKnown(t *testing.T) {
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: []int{0, 1, 0, 1},
		IDs: []string{"a", "b", "c", "d"}}}
	trusted := labelled("a", "dog", "x", "dog", "y", "cat")
	trusted["b"] = Decision{ID: "b", Given: "cat", Label: "dog"} // corrected since
	trusted["c"] = Decision{ID: "c", Given: "dog", Label: "dog"} // labelled dog then: another one
	trusted["d"] = Decision{ID: "d", Given: "dog", Label: "cat"}
	known, warnings, err := Known(d, trusted)
	expect.OK(t, err)
	expect.Same(t, []correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 1}, {Index: 3, Label: 0}}, known)
	expect.Same(t, []string{
		`2 of 6 trusted labels are of no example, such as that of "x": they are left out`,
		`1 of 6 trusted labels were decided when the example had another label, such as that of "c": they are left out, as the name may be another example's by now`,
	}, warnings)
	d.Train.Trusted = []bool{true, false, true, false}
	known, _, err = Known(d, labelled("a", "dog", "b", "cat"))
	expect.OK(t, err)
	expect.Same(t, []correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 0}, {Index: 2, Label: 0}}, known)
	decided := []Decision{
		says("", "a", "none", 0), says("", "c", "skip", 0), {ID: "b", Given: "dog", Label: "cat", Action: Suggested},
		{ID: "b", Given: "dog", Action: Ambiguous}, {ID: "d", Given: "dog", Label: "dog", Action: Accept},
	}
	known, warnings, err = Known(d, Outcomes(decided))
	expect.OK(t, err)
	expect.Same(t, []correction.Trusted{{Index: 2, Label: 0}, {Index: 3, Label: 1}}, known)
	expect.Same(t, []string{"2 of 3 decisions name no class (several fit 1 examples, none fits 1): " +
		"no label of these is taken as trusted"}, warnings)
	d.Train.Trusted = nil
	if _, _, err := Known(d, labelled("x", "dog")); err == nil {
		t.Error("labels of other data are taken")
	}
}
