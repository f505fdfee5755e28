package review

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A reopened session resumes where the last one ended.
func TestResume(t *testing.T) {
	f := expect.Got(audittest.Texts(t.TempDir(), 300))(t)
	s := open(t, f, options(t, f))
	for place, label := range []string{"positive", "", "negative", "positive", "positive"} {
		s.alone().choose(t, place, label)
	}
	expect.Got(s.Undo())(t)
	want := s.Progress()
	_, err := Open(f, Options{})
	expect.Says(t, err, "another losscorr review")
	shut(t, s)
	s = open(t, f, options(t, f))
	expect.Same(t, want, s.Progress())
	expect.Same(t, 4, s.Next(-1))
	expect.Same(t, -1, expect.Got(s.Undo())(t)) // an undo is of this session
	for place := range s.order {
		s.alone().choose(t, place, "")
	}
	expect.Same(t, -1, s.Next(10)) // after the last
}

// The undo of a changed decision restores the one before.
func TestUndoRestores(t *testing.T) {
	f, s := opened(t, 60)
	undo := func(place int, want audit.Action) {
		t.Helper()
		got, err := s.Undo()
		if err != nil || got != place || s.last(s.order[place]).Action != want {
			t.Fatalf("undo of %d, %v; want %d with %q, it has %q", got, err, place, want, s.last(s.order[place]).Action)
		}
	}
	given := s.issues[s.order[0]].Given
	other := s.classes[slices.IndexFunc(s.classes, func(c string) bool {
		return c != given && c != s.issues[s.order[0]].Suggested
	})]
	s.alone().choose(t, 0, given)
	s.alone().choose(t, 1, "")
	s.alone().choose(t, 0, other)
	s.alone().choose(t, 0, "")
	undo(0, audit.Other)
	if p := s.Progress(); p.Decided != 1 || p.Changed != 1 || p.Skipped != 1 {
		t.Errorf("%+v", p)
	}
	undo(0, audit.Accept)
	undo(1, "")
	undo(0, "")
	expect.Same(t, -1, expect.Got(s.Undo())(t)) // no decision is left
	shut(t, s)
	s = open(t, f, options(t, f))
	if p := s.Progress(); p.Decided+p.Skipped != 0 {
		t.Errorf("%+v", p)
	}
}

// Examples where several classes fit, or none, are decided without a label.
func TestWithoutLabel(t *testing.T) {
	f, s := served(t, 100)
	var d decided
	for place, action := range []audit.Action{audit.Ambiguous, audit.None, audit.Skip} {
		choice := Choice{Place: place, ID: s.issues[s.order[place]].ID, Action: action}
		if code, text := s.post(t, "api/decide", choice, &d); code != 200 || d.Next != place+1 {
			t.Fatalf("%s: %d %s", action, code, text)
		}
	}
	if p := d.Progress; p.Ambiguous != 1 || p.None != 1 || p.Skipped != 1 || p.Decided != 0 {
		t.Errorf("%+v", p)
	}
	for _, action := range []audit.Action{audit.Accept, audit.Undo, "x"} {
		choice := Choice{Place: 3, ID: s.issues[s.order[3]].ID, Action: action}
		if code, _ := s.post(t, "api/decide", choice, nil); code == 200 {
			t.Errorf("%q is taken", action)
		}
	}
	for show, want := range map[string]int{"ambiguous": 1, "none": 1, "skipped": 1, "decided": 0, "undecided": 97} {
		if total, _ := s.List(Filter{Show: show}, 0, 0); total != want {
			t.Errorf("%s: %d, want %d", show, total, want)
		}
	}
	s.restore(expect.Got(f.Said(s.summary.Source))(t))
	expect.Same(t, d.Progress, s.alone().Progress())
}

// A decision about an earlier label has no effect.
func TestStaleDecision(t *testing.T) {
	_, s := opened(t, 60)
	one, two, three := s.issues[0], s.issues[1], s.issues[2]
	other := s.classes[slices.IndexFunc(s.classes, func(c string) bool { return c != one.Given && c != two.Given })]
	another := s.classes[slices.IndexFunc(s.classes, func(c string) bool { return c != three.Given })]
	s.restore([]audit.Decision{
		{ID: one.ID, Given: other, Label: other, Action: audit.Accept},
		{ID: two.ID, Given: other, Label: two.Given, Action: audit.Other}, // corrected since
		{ID: "none", Given: other, Action: audit.Skip},
		{ID: three.ID, Given: another, Label: three.Given, Action: audit.Suggested}, // undone, and corrected since
		{ID: three.ID, Given: another, Action: audit.Undo},
	})
	if s.last(0).Action != "" || s.last(1).Action != audit.Other || s.last(2).Action != "" {
		t.Errorf("%+v, %+v, %+v", s.last(0), s.last(1), s.last(2))
	}
}
