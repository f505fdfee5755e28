package review

import (
	"cmp"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// The review of an acceptance asks in the order of its seed, ends with a verdict, resumes, and recomputes the verdict
// if an answer is taken back. Its limits cannot change.
func TestAcceptReview(t *testing.T) {
	f := images(t, 400)
	o := options(t, f)
	o.Accept = &Accept{Limit: .1, Reject: .2, Risk: .05}
	s := open(t, f, o)
	me := s.alone()
	p := s.Progress().Accept
	if p.Verdict != checking.Undecided || p.Text != "No label has been checked yet." ||
		!strings.Contains(p.Before, "if no label is wrong") {
		t.Errorf("%+v", p)
	}
	order := s.accept.Order
	place := 0
	for ; s.Progress().Accept.Verdict == checking.Undecided; place++ {
		issue := s.issues[s.order[me.Next(place-1)]]
		if issue.Row != order[place] || place > 100 {
			t.Fatalf("check %d is of row %d, want %d", place, issue.Row, order[place])
		}
		me.choose(t, place, issue.Given)
		if place == 10 { // and again
			shut(t, s)
			s = open(t, f, o)
			me = s.alone()
		}
	}
	p = s.Progress().Accept
	if p.Verdict != checking.Accepted || p.Checked != place || p.Wrong != 0 || me.Next(place-1) != -1 ||
		!strings.HasPrefix(p.Text, "Accepted. Fewer than 10 % of 400 labels are wrong, at a risk of 5 %: ") {
		t.Errorf("after %d checks: %+v", place, p)
	}
	expect.Got(me.Undo())(t)
	if p := s.Progress().Accept; p.Verdict != checking.Undecided || p.Checked != place-1 || me.Next(-1) != place-1 {
		t.Errorf("after an undo: %+v", p)
	}
	for at := place - 1; s.Progress().Accept.Verdict == checking.Undecided; at++ {
		issue := s.issues[s.order[at]]
		expect.OK(t, me.Decide(Choice{Place: at, ID: issue.ID, Label: other(s, issue)}))
	}
	if p := s.Progress().Accept; p.Verdict != checking.Rejected || !strings.HasPrefix(p.Text, "Rejected. More than 20 %") {
		t.Errorf("%+v", p)
	}
	shut(t, s)
	o.Accept = &Accept{Limit: .5, Reject: .5, Risk: .05}
	if _, err := Open(f, o); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), "accept below 10 %") {
		t.Errorf("another limit: %v", err)
	}
	o.Accept = &Accept{Limit: .1, Reject: .2, Risk: .05, Checks: 5}
	s = open(t, f, o)
	if goal := s.Progress().Goal; goal != 5 || s.Progress().Accept.Verdict != checking.Rejected {
		t.Errorf("%d checks at most", goal)
	}
	shut(t, s)
	weights := expect.Got(os.ReadFile(f.Path(audit.AcceptanceFile)))(t)
	weights[len(weights)-2]++
	expect.OK(t, os.WriteFile(f.Path(audit.AcceptanceFile), weights, 0o666))
	if _, err := Open(f, o); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), "has changed since") {
		t.Errorf("other probabilities: %v", err)
	}
}

// other is a class that an issue does not have.
func other(s *Session, issue audit.Issue) string {
	if s.classes[0] != issue.Given {
		return s.classes[0]
	}
	return cmp.Or(s.classes[1], issue.Given)
}
