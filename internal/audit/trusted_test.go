package audit

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
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
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: []int{0, 1, 0, 1}, IDs: []string{"a", "b", "c", "d"}}}
	trusted := labelled("a", "dog", "x", "dog", "y", "cat")
	trusted["b"] = Decision{ID: "b", Given: "cat", Label: "dog"} // corrected since
	trusted["c"] = Decision{ID: "c", Given: "dog", Label: "dog"} // labelled dog then: another one
	trusted["d"] = Decision{ID: "d", Given: "dog", Label: "cat"}
	known, warnings, err := Known(d, trusted)
	if diff := cmp.Diff([]correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 1}, {Index: 3, Label: 0}}, known); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{
		`2 of 6 trusted labels are of no example, such as that of "x": they are left out`,
		`1 of 6 trusted labels were decided when the example had another label, such as that of "c": they are left out, as the name may be another example's by now`,
	}, warnings); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	d.Train.Trusted = []bool{true, false, true, false}
	known, _, err = Known(d, labelled("a", "dog", "b", "cat"))
	if diff := cmp.Diff([]correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 0}, {Index: 2, Label: 0}}, known); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	file := filepath.Join(t.TempDir(), DecisionsFile)
	text := header + "a,cat,,none,2026-11-22T10:00:00Z\nb,dog,cat,suggested,2026-11-22T10:00:00Z\nb,dog,,ambiguous,2026-11-22T10:00:00Z\nd,dog,dog,accept,2026-11-22T10:00:00Z\nc,cat,,skip,2026-11-22T10:00:00Z\n"
	put(t, file, text)
	decided, err := ReadTrusted(file, own.Source{})
	if err != nil {
		t.Fatal(err)
	}
	known, warnings, err = Known(d, decided)
	if diff := cmp.Diff([]correction.Trusted{{Index: 2, Label: 0}, {Index: 3, Label: 1}}, known); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"2 of 3 decisions name no class (several fit 1 examples, none fits 1): no label of these is taken as trusted"}, warnings); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	d.Train.Trusted = nil
	if _, _, err := Known(d, labelled("x", "dog")); err == nil {
		t.Error("labels of other data are taken")
	}
}
