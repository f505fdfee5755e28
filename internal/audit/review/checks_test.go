package review

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
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
	expect.Fails(t, expect.Err(Open(f, o)), "accept below 10 %", dataset.ErrData, "another limit")
	o.Accept = &Accept{Limit: .1, Reject: .2, Risk: .05, Checks: 5}
	s = open(t, f, o)
	if goal := s.Progress().Goal; goal != 5 || s.Progress().Accept.Verdict != checking.Rejected {
		t.Errorf("%d checks at most", goal)
	}
	shut(t, s)
	weights := expect.Got(os.ReadFile(f.Path(audit.AcceptanceFile)))(t)
	weights[len(weights)-2]++
	expect.OK(t, os.WriteFile(f.Path(audit.AcceptanceFile), weights, 0o666))
	expect.Fails(t, expect.Err(Open(f, o)), "has changed since", dataset.ErrData, "other probabilities")
}

// other is a class that an issue does not have.
func other(s *Session, issue audit.Issue) string {
	if s.classes[0] != issue.Given {
		return s.classes[0]
	}
	return cmp.Or(s.classes[1], issue.Given)
}

// A review of random checks asks for the drawn examples in their order and ends with them, gives
// a count after ten answers, and resumes.
func TestRandomReview(t *testing.T) {
	f := images(t, 400)
	o := options(t, f)
	o.Random = 30
	s := open(t, f, o)
	draw := s.draw
	for k, check := range draw.Distinct() {
		c, place := draw[check], s.Next(k-1)
		e := s.Example(t.Context(), place)
		if place != k || e.ID != c.ID || !strings.HasPrefix(e.Asked, "Drawn at random: check ") || e.Chance == "" {
			t.Fatalf("check %d is %q at place %d, want %q; %q", k, e.ID, place, c.ID, e.Asked)
		}
		label := e.Given
		if k%3 == 0 {
			label = cmp.Or(e.Runner, e.Suggested)
		}
		s.alone().choose(t, place, label)
		if p := s.Progress().Random; p == nil || p.Checked != k+1 || (p.Count != nil) != (k+1 >= 10) {
			t.Fatalf("after %d answers: %+v", k+1, p)
		}
	}
	p := s.Progress().Random
	if s.Next(-1) != -1 || p.Checked != 30 || p.Count.Changed != 10 || p.Count.Right != 20 ||
		!strings.Contains(p.Verdict, " of 400 labels are wrong, between ") {
		t.Errorf("next %d, %+v, %q", s.Next(-1), p.Count, p.Verdict)
	}
	if r := p.Count.Rounds; len(r) < 3 || r[len(r)-1].Checked != 30 || r[0].Checked >= r[1].Checked {
		t.Errorf("rounds %+v", r)
	}
	shut(t, s)
	o.Random = 40
	s = open(t, f, o)
	if again := s.Progress().Random; again.Checked != 30 || again.Asked != 40 || again.Count.Checked != 30 ||
		s.Next(-1) != 30 {
		t.Errorf("resumed: %+v, next %d", again, s.Next(-1))
	}
}

// Examples with an answer from a spreadsheet are not asked again.
func TestRandomAfterSheet(t *testing.T) {
	f := images(t, 200)
	for _, c := range audittest.Draw(t, f, 20)[:12] {
		audittest.Decide(t, f, audit.Decision{ID: c.ID, Given: c.Given, Action: audit.None, Time: audittest.Moment,
			Why: audit.InFile, From: "sheet.csv"})
	}
	o := options(t, f)
	o.Random = 20
	s := open(t, f, o)
	if p := s.Progress().Random; p.Checked != 12 || p.Count == nil || p.Count.None != 12 || s.Next(-1) != 12 {
		t.Errorf("%+v, next %d", p, s.Next(-1))
	}
	shut(t, s)
	o.Random = 0 // the other review has the answers as well
	expect.Same(t, 12, open(t, f, o).Progress().None)
}
