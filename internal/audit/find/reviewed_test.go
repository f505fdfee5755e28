package find

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
)

// An audit says what several reviewers have decided of its labels, takes what they agree on or have settled as
// random checks and trusted labels, and leaves the labels on which they disagree to the model.
func TestAuditOfReviewers(t *testing.T) {
	f, a, wrong := hard(t)
	before, err := a.Run(t.Context(), f)
	if err != nil || before.Reviewed != nil {
		t.Fatal(err, before.Reviewed)
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Draw(100)
	if err != nil {
		t.Fatal(err)
	}
	said := func(c audit.RandomCheck, reviewer string) audit.Decision {
		d := audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept, Time: audittest.Moment, Reviewer: reviewer}
		if wrong[c.ID] {
			d.Label, d.Action = a.Data.Classes[a.Data.Train.Truth[j.Row(c.ID)]], audit.Other
		}
		return d
	}
	var decisions []audit.Decision
	const last = 10 // bob decides so many
	checks := distinct(r)
	disputed, settled := checks[last-1], checks[0]
	for k, c := range checks {
		decisions = append(decisions, said(c, "ann"))
		if k < last {
			d := said(c, "bob")
			if c.ID == disputed.ID || c.ID == settled.ID {
				d.Label, d.Action = "", audit.None
			}
			decisions = append(decisions, d)
		}
	}
	settlement := said(settled, "eve")
	settlement.Settles = true
	decisions = append(decisions, settlement, audit.Decision{ID: "no example", Given: "a", Label: "a", Action: audit.Accept, Time: audittest.Moment, Reviewer: "zed"})
	audittest.Decide(t, f, decisions...)
	if a.Trusted, err = audit.ReadTrusted(f.Path(audit.DecisionsFile), a.Networks.Source); err != nil {
		t.Fatal(err)
	}
	after, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	v := after.Reviewed
	if v == nil || v.Conflicts != 1 || v.Settled != 1 || !slices.Equal(v.Reviewers, []audit.Reviewer{{Name: "ann", Decided: 100}, {Name: "bob", Decided: last}}) || len(v.Agreements) != 1 || v.Agreements[0].Both != last || v.Agreements[0].Same != last-2 {
		t.Fatalf("%+v", v)
	}
	if after.Random != nil { // all checks after the conflict wait, and nine are too few
		t.Errorf("%+v", after.Random)
	}
	if after.TrustedLabels != 99 || !slices.ContainsFunc(after.Warnings, func(w string) bool { return strings.Contains(w, "reviewers disagree on 1 of 101 trusted labels") }) {
		t.Errorf("%d trusted labels, %q", after.TrustedLabels, after.Warnings)
	}
	issues, err := f.Issues()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range issues {
		if known := i.PWrong == 0 || i.PWrong == 1; i.ID == disputed.ID && known || i.ID == settled.ID && !known {
			t.Errorf("%s is wrong with the probability %v", i.ID, i.PWrong)
		}
	}
	if list, err := os.ReadFile(f.Path(audit.ConflictsFile)); err != nil || strings.Count(string(list), "\n") != 3 || !strings.Contains(string(list), "\n"+disputed.ID+",") {
		t.Errorf("conflicts.csv:\n%s", list)
	}
	settlement = said(disputed, "ann")
	settlement.Settles = true
	audittest.Decide(t, f, settlement)
	if after, err = a.Run(t.Context(), f); err != nil || after.Reviewed.Conflicts != 0 || after.Random == nil || after.Random.Checked < 100 {
		t.Errorf("%v, %+v", err, after.Reviewed)
	}
	if _, err := os.Stat(f.Path(audit.ConflictsFile)); err == nil {
		t.Error("conflicts.csv lists what is settled")
	}
}
