package find

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/expect"
)

// An audit counts several reviewers' decisions, uses those that they agree on or have settled as random checks
// and trusted labels, and leaves disputed labels to the model.
func TestAuditOfReviewers(t *testing.T) {
	f, a, j, checks := drawn(t, 100)
	if before := expect.Got(f.Summary())(t); before.Reviewed != nil {
		t.Fatal(before.Reviewed)
	}
	said := func(c audit.Draw, reviewer string) audit.Decision {
		d := truth(a, j, c)
		d.Reviewer = reviewer
		return d
	}
	var decisions []audit.Decision
	const last = 10 // decisions by bob
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
	settlement, stray := said(settled, "eve"), said(settled, "zed")
	settlement.Why, stray.ID = audit.Settlement, "no example"
	audittest.Decide(t, f, append(decisions, settlement, stray)...)
	after := expect.Got(a.run(t.Context(), f))(t)
	expect.Same(t, &audit.Reviewed{
		Reviewers:  []audit.Reviewer{{Name: "ann", Decided: 100}, {Name: "bob", Decided: last}},
		Agreements: []audit.Agreement{{First: "ann", Second: "bob", Both: last, Same: last - 2}}, Conflicts: 1, Settled: 1,
	}, after.Reviewed, cmpopts.IgnoreFields(audit.Agreement{}, "Kappa"))
	if after.Random != nil { // all checks after the conflict wait, and nine before it are too few
		t.Errorf("%+v", after.Random)
	}
	warnings := strings.Join(after.Warnings, "\n")
	if after.TrustedLabels != 99 || !strings.Contains(warnings, "1 of 101 answers are disputed by reviewers") {
		t.Errorf("%d trusted labels, %q", after.TrustedLabels, after.Warnings)
	}
	settlement = said(disputed, "ann")
	settlement.Why = audit.Settlement
	audittest.Decide(t, f, settlement)
	after = expect.Got(a.run(t.Context(), f))(t)
	if after.Reviewed.Conflicts != 0 || after.Random == nil || after.Random.Checked < 100 {
		t.Errorf("%+v", after.Reviewed)
	}
}
