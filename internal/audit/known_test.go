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
		all[pairs[k]] = Decision{ID: pairs[k], Label: pairs[k+1], Action: Other}
	}
	return all
}

// Answers without an example, or about another one by now, are left out with a warning. A
// person's decision comes before the data's trusted column.
func TestKnown(t *testing.T) {
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: []int{0, 1, 0, 1},
		IDs: []string{"a", "b", "c", "d"}}}
	trusted := labelled("a", "dog", "x", "dog", "y", "cat")
	trusted["b"] = Decision{ID: "b", Given: "cat", Label: "dog"} // corrected since
	trusted["c"] = Decision{ID: "c", Given: "dog", Label: "dog"} // labelled dog then: another one
	trusted["d"] = Decision{ID: "d", Given: "dog", Label: "cat", Action: Other}
	known, warnings := Known(d, trusted)
	expect.Same(t, []correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 1}, {Index: 3, Label: 0}}, known)
	expect.Same(t, []string{
		"2 of 6 answers are about examples that the data does not have: they are left out",
		`1 of 6 answers are about an earlier label or classes of the example, such as "c": they are left out`,
	}, warnings)
	d.Train.Trusted = []bool{true, false, true, false}
	known, _ = Known(d, labelled("a", "dog", "b", "cat"))
	expect.Same(t, []correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 0}, {Index: 2, Label: 0}}, known)
	decided := []Decision{
		says("", "a", "none", 0), says("", "c", "skip", 0), {ID: "b", Given: "dog", Label: "cat", Action: Suggested},
		{ID: "b", Given: "dog", Action: Ambiguous}, {ID: "d", Given: "dog", Label: "dog", Action: Accept},
	}
	known, warnings = Known(d, Outcomes(decided))
	expect.Same(t, []correction.Trusted{{Index: 2, Label: 0}, {Index: 3, Label: 1}}, known)
	expect.Same(t, []string{"2 of 3 answers name no class (several fit, or none): the labels of these examples stay open"},
		warnings)
	_, warnings = Known(d, map[string]Decision{"a": {ID: "a", Given: "cat", Action: Conflict}, "b": {ID: "b", Label: "cow"}})
	expect.Same(t, []string{
		`1 of 2 answers are about an earlier label or classes of the example, such as "b": they are left out`,
		"1 of 2 answers are disputed by reviewers: they are left out until losscorr review settles them",
	}, warnings)
}
