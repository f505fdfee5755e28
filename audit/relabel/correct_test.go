package relabel

import (
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/audit/audittest"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// What is trained on is what people have decided and, where they have not, what the audit suggests of the
// labels that it has judged.
func TestCorrect(t *testing.T) {
	f := audit.At(t.TempDir())
	var issues []audit.Issue
	var labels []audit.Label
	for row, id := range []string{"suggested", "kept", "decided", "ambiguous", "stale", "changed", "table"} {
		label := "dog"
		if id == "kept" || id == "decided" || id == "table" {
			label = "cat"
		}
		issues = append(issues, audit.Issue{ID: id, Given: "cat", Suggested: "dog", Row: row})
		labels = append(labels, audit.Label{ID: id, Label: label})
	}
	slices.Reverse(issues)
	for _, err := range []error{f.WriteLabels(labels), f.WriteIssues(issues)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	audittest.Decide(t, f, audit.Decision{ID: "decided", Given: "cat", Label: "cow", Action: audit.Other, Time: audittest.Moment}, audit.Decision{ID: "ambiguous", Given: "cat", Label: "", Action: audit.Ambiguous, Time: audittest.Moment}, audit.Decision{ID: "stale", Given: "dog", Label: "cow", Action: audit.Other, Time: audittest.Moment})
	data := &dataset.Dataset{Classes: []string{"cat", "cow", "dog"}, Train: dataset.Split{
		IDs: []string{"new", "suggested", "kept", "decided", "ambiguous", "stale", "changed", "table"}, Labels: []int{0, 0, 0, 0, 0, 0, 1, 0},
	}}
	trusted := map[string]audit.Decision{"table": {ID: "table", Label: "cow"}, "new": {ID: "new", Label: "dog"}}
	got, err := Correct(f, own.Source{}, data, trusted)
	want := []correction.Trusted{{Index: 0, Label: 2}, {Index: 1, Label: 2}, {Index: 3, Label: 1}, {Index: 5, Label: 2}, {Index: 7, Label: 1}}
	if err != nil || !slices.Equal(got.Labels, want) || got.Judged != 6 {
		t.Errorf("%+v, %v; want %v of 6", got, err, want)
	}
	if got.Of(7) || !got.Of(6) {
		t.Error("an audit of 6 of 7 examples is one of them, or one of 6 is not")
	}
	data.Classes[2] = "horse"
	if _, err := Correct(f, own.Source{}, data, nil); err == nil || !strings.Contains(err.Error(), `"dog"`) {
		t.Errorf("a class that the data does not have: %v", err)
	}
}
