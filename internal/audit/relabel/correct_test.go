package relabel

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// Training uses people's decisions or, without one, the audit's suggestion for a judged label.
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
	expect.OK(t, f.WriteLabels(labels), f.WriteIssues(issues))
	audittest.Decide(t, f, audit.Decision{ID: "decided", Given: "cat", Label: "cow", Action: audit.Other},
		audit.Decision{ID: "ambiguous", Given: "cat", Action: audit.Ambiguous},
		audit.Decision{ID: "stale", Given: "dog", Label: "cow", Action: audit.Other})
	data := &dataset.Dataset{Classes: []string{"cat", "cow", "dog"}, Train: dataset.Split{
		IDs:    []string{"new", "suggested", "kept", "decided", "ambiguous", "stale", "changed", "table"},
		Labels: []int{0, 0, 0, 0, 0, 0, 1, 0},
	}}
	got := expect.Got(Correct(f, own.Source{}, data))(t)
	want := []correction.Trusted{{Index: 1, Label: 2}, {Index: 3, Label: 1}, {Index: 5, Label: 2}}
	expect.Same(t, Correction{Labels: want, Judged: 6}, got)
	expect.Same(t, []bool{false, true}, []bool{got.Of(7), got.Of(6)})
	data.Classes[2] = "horse"
	expect.Says(t, expect.Err(Correct(f, own.Source{}, data)), `"dog"`) // an unknown class
}

// Answers to random checks from files count as decisions, as in Export.
func TestAnswersOfFilesCount(t *testing.T) {
	f := audit.At(t.TempDir())
	expect.OK(t,
		f.WriteSummary(&audit.Summary{Classes: []audit.Class{{Name: "cat"}, {Name: "dog"}}}),
		f.WriteLabels([]audit.Label{{ID: "a", Label: "dog"}, {ID: "b", Label: "cat"}}),
		f.WriteIssues([]audit.Issue{{ID: "a", Given: "cat", Suggested: "dog", PWrong: .9},
			{ID: "b", Given: "cat", Suggested: "cat", Row: 1}}),
	)
	audittest.Decide(t, f, audit.Decision{ID: "a", Given: "cat", Action: audit.None, Why: audit.InFile},
		audit.Decision{ID: "b", Given: "cat", Action: audit.Other, Label: "dog", Why: audit.InFile})
	found := expect.Got(readFound(f, own.Source{}))(t)
	for _, decisionsOnly := range []bool{false, true} {
		for k, want := range []struct {
			class string
			how   audit.Settled
		}{{"cat", audit.Undecided}, {"dog", audit.ByPeople}} {
			class, how := found.class(found.issues[k], "cat", decisionsOnly)
			expect.Same(t, want.class, class)
			expect.Same(t, want.how, how)
		}
	}
	data := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{IDs: []string{"a", "b"},
		Labels: []int{0, 0}}}
	got := expect.Got(Correct(f, own.Source{}, data))(t)
	expect.Same(t, []correction.Trusted{{Index: 1, Label: 1}}, got.Labels)
	out := filepath.Join(t.TempDir(), "answers.csv")
	e := expect.Got(Export(t.Context(), f, AnswersForm, out, Options{}))(t)
	expect.Same(t, []int{1, 1}, []int{e.Answers, e.Undecided})
}
