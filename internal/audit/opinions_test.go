package audit

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// says is a reviewer's decision, n seconds after moment.
func says(reviewer, id, label string, n int) Decision {
	d := Decision{ID: id, Given: "cat", Label: label, Action: Other, Time: moment.Add(time.Duration(n) * time.Second),
		Reviewer: reviewer}
	switch label {
	case "cat":
		d.Action = Accept
	case string(Ambiguous), string(None), string(Skip), string(Undo):
		d.Action, d.Label = Action(label), ""
	}
	return d
}

func settlesIt(d Decision) Decision { d.Why = Settlement; return d }

// The verdict of several reviewers follows the rules of docs/own-data.md.
func TestVerdict(t *testing.T) {
	for name, tt := range map[string]struct {
		decisions []Decision
		label     string
		action    Action
	}{
		"one":                         {[]Decision{says("", "a", "dog", 0)}, "dog", Other},
		"one who changes":             {[]Decision{says("ann", "a", "dog", 0), says("ann", "a", "cat", 1)}, "cat", Accept},
		"agreement":                   {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "dog", 1)}, "dog", Other},
		"a conflict":                  {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1)}, "", Conflict},
		"a conflict with one unnamed": {[]Decision{says("", "a", "dog", 0), says("bob", "a", "cat", 1)}, "", Conflict},
		"several fit beside a label": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "ambiguous", 1)}, "",
			Conflict},
		"several fit beside none fits": {[]Decision{says("ann", "a", "none", 0), says("bob", "a", "ambiguous", 1)}, "",
			Conflict},
		"none fits, twice":   {[]Decision{says("ann", "a", "none", 0), says("bob", "a", "none", 1)}, "", None},
		"skipped by another": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "skip", 1)}, "dog", Other},
		"skipped by all":     {[]Decision{says("ann", "a", "skip", 0), says("bob", "a", "skip", 1)}, "", Skip},
		"undone by another": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			says("bob", "a", "undo", 2)}, "dog", Other},
		"undone by all": {[]Decision{says("ann", "a", "dog", 0), says("ann", "a", "undo", 2)}, "", ""},
		"settled": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			settlesIt(says("ann", "a", "cow", 2))}, "cow", Other},
		"settled without a label": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			settlesIt(says("eve", "a", "none", 2))}, "", None},
		"settled, the last one holds": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			settlesIt(says("ann", "a", "dog", 2)), settlesIt(says("bob", "a", "cat", 3))}, "cat", Accept},
		"a settlement undone": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			settlesIt(says("ann", "a", "dog", 2)), settlesIt(says("ann", "a", "undo", 3))}, "", Conflict},
		"the last settlement undone": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			settlesIt(says("ann", "a", "dog", 2)), settlesIt(says("bob", "a", "cat", 3)),
			settlesIt(says("bob", "a", "undo", 4))}, "dog", Other},
		"an opinion after a settlement": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			settlesIt(says("ann", "a", "dog", 2)), says("eve", "a", "cow", 3)}, "dog", Other},
		"one gives in": {[]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 1),
			says("bob", "a", "dog", 2)}, "dog", Other},
		"an opinion on an earlier label": {[]Decision{{ID: "a", Given: "cow", Label: "cow", Action: Accept, Time: moment,
			Reviewer: "ann"}, says("bob", "a", "dog", 1)}, "dog", Other},
	} {
		d := Last(tt.decisions)["a"]
		if d.Label != tt.label || d.Action != tt.action {
			t.Errorf("%s: %q by %q, want %q by %q", name, d.Label, d.Action, tt.label, tt.action)
		}
	}
}

// Kappa for the table in Cohen's paper (1960), "A coefficient of agreement for nominal scales": 88, 14, 18; 10, 40,
// 10; 2, 6, 12 of 200 have p = .70, chance .41, kappa .492.
func TestKappa(t *testing.T) {
	tally := Tally{}
	id := 0
	for first, row := range map[string][3]int{"cat": {88, 14, 18}, "dog": {10, 40, 10}, "none": {2, 6, 12}} {
		for k, n := range row {
			for range n {
				id++
				name := string(rune(id))
				tally.Add(says("bob", name, []string{"cat", "dog", "none"}[k], 0))
				tally.Add(says("ann", name, first, 1))
			}
		}
	}
	tally.Add(says("ann", "alone", "cat", 0))
	tally.Add(says("ann", "skipped", "cat", 0))
	tally.Add(says("bob", "skipped", "skip", 0))
	got := tally.Agreements()
	kappa := .492
	want := []Agreement{{First: "ann", Second: "bob", Both: 200, Same: 140, Kappa: &kappa}}
	expect.Same(t, want, got, cmpopts.EquateApprox(0, .0005))
	expect.Same(t, "ann and bob agree on 140 of 200 labels that both decided, Cohen's kappa 0.49", got[0].String())
	// A change of mind and a settlement do not change the first decision, made without seeing the other's.
	for id, o := range tally {
		if d := o.Verdict(); d.Action == Conflict {
			tally.Add(settlesIt(says("ann", id, "cat", 5)))
			tally.Add(says("bob", id, o.Told()[1].verdict()[0]+o.Told()[1].verdict()[1], 6))
		}
	}
	expect.Same(t, got, tally.Agreements())
	if r := tally.Reviewed(); r.Conflicts != 0 || r.Settled != 60 || cmp.Diff([]Reviewer{{"ann", 202}, {"bob", 200}},
		r.Reviewers) != "" {
		t.Errorf("%+v", r)
	}
}

// There is no kappa for few labels, or if both always give the same answer.
func TestNoKappa(t *testing.T) {
	for n, want := range map[int]string{9: "kappa needs 10", 10: "no kappa"} {
		tally := Tally{}
		for k := range n {
			tally.Add(says("", string(rune('a'+k)), "cat", 0))
			tally.Add(says("bob", string(rune('a'+k)), "cat", 0))
		}
		r := tally.Reviewed()
		if a := r.Agreements[0]; a.Kappa != nil || a.Same != n || !strings.Contains(a.String(), want) || a.First != NoName {
			t.Errorf("%+v: %s", a, a)
		}
	}
	expect.Same(t, nil, Tally{"a": {{Decision: says("ann", "a", "cat", 0)}}}.Reviewed()) // of one person
}

// A conflict has no label, leaves the data's trusted column in force, and gives a warning.
func TestKnownConflict(t *testing.T) {
	data := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{IDs: []string{"a", "b", "c"},
		Labels: []int{0, 0, 0}, Trusted: []bool{false, true, false}}}
	trusted := Outcomes([]Decision{says("ann", "a", "dog", 0), says("bob", "a", "cat", 0), says("ann", "b", "dog", 0),
		says("bob", "b", "cat", 0), says("bob", "c", "dog", 0)})
	known, warnings := Known(data, trusted)
	expect.Same(t, []correction.Trusted{{Index: 1, Label: 0}, {Index: 2, Label: 1}}, known)
	if len(warnings) != 1 || !strings.Contains(warnings[0], "2 of 3 answers are disputed by reviewers") {
		t.Errorf("%q", warnings)
	}
}

// conflicts.csv lists each reviewer's answers about unsettled labels, and is deleted when there are none.
func TestConflictsFile(t *testing.T) {
	f := At(t.TempDir())
	tally := TallyOf([]Decision{says("ann", "=a", "dog", 0), says("", "=a", "none", 1), says("eve", "=a", "skip", 1),
		says("ann", "b", "dog", 0)})
	want := "id,given,reviewer,label,decision,time\n'=a,cat,ann,dog,other,2026-11-22T10:00:00Z\n'=a,cat,(no " +
		"name),,none,2026-11-22T10:00:01Z\n"
	expect.OK(t, f.WriteConflicts(tally))
	expect.Same(t, want, string(read(t, f.Path(ConflictsFile))))
	tally.Add(settlesIt(says("ann", "=a", "dog", 2)))
	for range 2 {
		expect.OK(t, f.WriteConflicts(tally))
		if _, err := os.Stat(f.Path(ConflictsFile)); err == nil {
			t.Error("it lists what is settled")
		}
	}
}
