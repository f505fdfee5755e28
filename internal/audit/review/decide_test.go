package review

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
)

// A session that is opened again is where the last one was, with its undo.
func TestResume(t *testing.T) {
	f, err := audittest.Texts(t.TempDir(), 300)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, f, options(t, f))
	for place, label := range []string{"positive", "", "negative", "positive", "positive"} {
		s.alone().choose(t, place, label)
	}
	if _, err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	want := s.Progress()
	if _, err := Open(f, Options{}); err == nil || !strings.Contains(err.Error(), "another losscorr review") {
		t.Errorf("a second session: %v", err)
	}
	shut(t, s)
	s = open(t, f, options(t, f))
	if diff := cmp.Diff(want, s.Progress()); diff != "" || s.Next(-1) != 4 {
		t.Errorf("next is %d, want 4 (-want +got):\n%s", s.Next(-1), diff)
	}
	for _, want := range []int{3, 2, 1, 0, -1} {
		if got, err := s.Undo(); got != want || err != nil {
			t.Errorf("undo of %d, %v; want %d", got, err, want)
		}
	}
	for place := range s.order {
		s.alone().choose(t, place, "")
	}
	if got := s.Next(10); got != -1 {
		t.Errorf("after all, next is %d", got)
	}
	shut(t, s)
}

// The undo of a changed decision restores the one before, also after the review is opened
// again; an undo with no decision written after it leaves the example undecided.
func TestUndoRestores(t *testing.T) {
	f := images(t, 60)
	s := open(t, f, options(t, f))
	undo := func(place int, want audit.Action) {
		t.Helper()
		got, err := s.Undo()
		if err != nil || got != place || s.last(s.order[place]).Action != want {
			t.Fatalf("undo of %d, %v; want %d with %q, it has %q", got, err, place, want, s.last(s.order[place]).Action)
		}
	}
	given := s.issues[s.order[0]].Given
	other := s.classes[slices.IndexFunc(s.classes, func(c string) bool { return c != given && c != s.issues[s.order[0]].Suggested })]
	s.alone().choose(t, 0, given)
	s.alone().choose(t, 1, "")
	s.alone().choose(t, 0, other)
	s.alone().choose(t, 0, "")
	undo(0, audit.Other)
	shut(t, s)
	s = open(t, f, options(t, f))
	if p := s.Progress(); p.Decided != 1 || p.Changed != 1 || p.Skipped != 1 {
		t.Errorf("%+v", p)
	}
	undo(0, audit.Accept)
	undo(1, "")
	undo(0, "")
	if got, err := s.Undo(); got != -1 || err != nil {
		t.Errorf("undo of %d, %v; nothing is left", got, err)
	}
	s.resume([]audit.Decision{
		{ID: s.issues[3].ID, Given: s.issues[3].Given, Label: s.issues[3].Given, Action: audit.Accept},
		{ID: s.issues[3].ID, Given: s.issues[3].Given, Action: audit.Skip},
		{ID: s.issues[3].ID, Given: s.issues[3].Given, Action: audit.Undo},
		{ID: s.issues[4].ID, Given: s.issues[4].Given, Action: audit.Skip},
	})
	if p := s.Progress(); p.Decided != 0 || p.Skipped != 1 || len(s.alone().history) != 1 {
		t.Errorf("%+v, %v", p, s.alone().history)
	}
	shut(t, s)
}

// Examples that several classes fit, or none, are decided and have no label.
func TestWithoutLabel(t *testing.T) {
	f := images(t, 100)
	s := serve(t, open(t, f, options(t, f)))
	var d decided
	for place, action := range []audit.Action{audit.Ambiguous, audit.None, audit.Skip} {
		if code, text := s.post(t, "api/decide", map[string]any{"place": place, "id": s.issues[s.order[place]].ID, "action": action}, &d); code != 200 || d.Next != place+1 {
			t.Fatalf("%s: %d %s", action, code, text)
		}
	}
	if p := d.Progress; p.Ambiguous != 1 || p.None != 1 || p.Skipped != 1 || p.Decided != 0 {
		t.Errorf("%+v", p)
	}
	for _, action := range []audit.Action{audit.Accept, audit.Undo, "x"} {
		if code, _ := s.post(t, "api/decide", map[string]any{"place": 3, "id": s.issues[s.order[3]].ID, "action": action}, nil); code == 200 {
			t.Errorf("%q is taken", action)
		}
	}
	for show, want := range map[string]int{"ambiguous": 1, "none": 1, "skipped": 1, "decided": 0, "undecided": 97} {
		if total, _ := s.List(Filter{Show: show}, 0, 0); total != want {
			t.Errorf("%s: %d, want %d", show, total, want)
		}
	}
	list, err := audit.ReadDecisions(f.Path(audit.DecisionsFile))
	if err != nil || len(list) != 3 {
		t.Errorf("%v, %v", list, err)
	}
	s.resume(list)
	if diff := cmp.Diff(d.Progress, s.alone().Progress()); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
}

// A decision on another label than the one that is given now has no effect.
func TestStaleDecision(t *testing.T) {
	f := images(t, 60)
	s := open(t, f, options(t, f))
	one, two, three := s.issues[0], s.issues[1], s.issues[2]
	other := s.classes[slices.IndexFunc(s.classes, func(c string) bool { return c != one.Given && c != two.Given })]
	another := s.classes[slices.IndexFunc(s.classes, func(c string) bool { return c != three.Given })]
	s.resume([]audit.Decision{
		{ID: one.ID, Given: other, Label: other, Action: audit.Accept},
		{ID: two.ID, Given: other, Label: two.Given, Action: audit.Other}, // corrected since
		{ID: "none", Given: other, Action: audit.Skip},
		{ID: three.ID, Given: another, Label: three.Given, Action: audit.Suggested}, // undone, and corrected since
		{ID: three.ID, Given: another, Action: audit.Undo},
	})
	if s.last(0).Action != "" || s.last(1).Action != audit.Other || s.last(2).Action != "" || len(s.alone().history) != 1 {
		t.Errorf("%+v, %+v, %+v", s.last(0), s.last(1), s.last(2))
	}
	shut(t, s)
}

// A review of classes that have names since resumes with the decisions on their numbers.
func TestResumeWithNames(t *testing.T) {
	f, err := audittest.Texts(t.TempDir(), 20)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, f)
	summary.Source.ClassNames = []string{"0=negative", "1=positive"}
	if err := f.WriteSummary(&summary); err != nil {
		t.Fatal(err)
	}
	audittest.Decide(t, f, audit.Decision{ID: "review-000000", Given: "0", Label: "0", Action: audit.Accept}, audit.Decision{ID: "review-000000", Given: "1", Label: "1", Action: audit.Accept})
	s := open(t, f, o)
	defer s.Close()
	if got := s.Progress().Decided; got != 1 {
		t.Errorf("%d examples are decided, want 1", got)
	}
}
