package review

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// several opens a session that asks for names.
func several(t *testing.T, f *audit.Folder, second int) *Session {
	t.Helper()
	o := options(t, f)
	o.Several, o.Second = true, second
	return open(t, f, o)
}

func (s *Session) as(t *testing.T, name string) *Reviewer {
	t.Helper()
	return expect.Got(s.Reviewer(name))(t)
}

// choose decides the example at a place.
func (r *Reviewer) choose(t *testing.T, place int, label string) {
	t.Helper()
	expect.OK(t, r.Decide(Choice{Place: place, ID: r.issues[r.order[place]].ID, Label: label}))
}

// showing counts the examples of a list.
func (r *Reviewer) showing(t *testing.T, show string) int {
	t.Helper()
	n, _, err := r.List(t.Context(), Filter{Show: show}, 0, 0)
	expect.OK(t, err)
	return n
}

// Two people share the work: neither is asked about or sees examples that the other has decided or is
// looking at, and each has an undo. This holds after the review is reopened.
func TestTwoReviewers(t *testing.T) {
	f := images(t, 200)
	s := several(t, f, 0)
	ann, bob := s.as(t, "Ann"), s.as(t, " bob ")
	if s.as(t, "ANN") != ann || ann.name != "Ann" || bob.name != "bob" {
		t.Fatal("case and spaces make another person")
	}
	for _, name := range []string{"", " ", strings.Repeat("x", 61), "a\x00b", "a\u202eb", audit.NoName} {
		if _, err := s.Reviewer(name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
	if a, b, again := ann.Next(-1), bob.Next(-1), ann.Next(-1); a != 0 || b != 1 || again != 0 {
		t.Fatalf("both get places %d and %d, then %d", a, b, again)
	}
	given := func(place int) string { return s.issues[s.order[place]].Given }
	ann.choose(t, 0, given(0))
	bob.choose(t, 1, "")
	ann.choose(t, 2, given(2))
	if a, b := ann.Next(0), bob.Next(1); a != 1 || b != 3 { // Ann is asked about what bob skipped
		t.Errorf("next are %d and %d", a, b)
	}
	if e := bob.Example(t.Context(), 0); e.Decided != string(others) || e.Label != "" || len(e.Said) > 0 {
		t.Errorf("bob sees %+v", e.Said)
	}
	for show, want := range map[string][2]int{"others": {0, 2}, "decided": {2, 0}, "undecided": {198, 197},
		"skipped": {0, 1}} {
		if got := [2]int{ann.showing(t, show), bob.showing(t, show)}; got != want {
			t.Errorf("%s: %d, want %d", show, got, want)
		}
	}
	if p := bob.Progress(); p.Decided != 2 || p.Mine != 1 || p.Conflicts != 0 {
		t.Errorf("%+v", p)
	}
	expect.Same(t, 1, expect.Got(bob.Undo())(t))
	expect.Same(t, -1, expect.Got(bob.Undo())(t)) // not Ann's
	want := ann.Progress()
	shut(t, s)
	s = open(t, f, options(t, f)) // the folder has names, so the page asks for one
	if _, err := s.Reviewer(""); err == nil {
		t.Error("nobody reviews")
	}
	ann = s.as(t, "ann")
	expect.Same(t, want, ann.Progress())
	expect.Same(t, "Ann", ann.name)
}

// waiting counts the examples that need one more opinion.
func (s *Session) waiting() (n int) {
	for i := range s.issues {
		if s.wanted(i) {
			n++
		}
	}
	return n
}

// Second opinions come before new examples, without a sign of the first one. A conflict counts as undecided
// until somebody settles it, and again after an undo.
func TestSecondOpinions(t *testing.T) {
	f := images(t, 300)
	s := several(t, f, 30)
	ann, bob, eve := s.as(t, "ann"), s.as(t, "bob"), s.as(t, "eve")
	for place := range 100 {
		ann.choose(t, place, s.issues[s.order[place]].Given)
	}
	var asked []int
	for place := bob.Next(-1); place < 100 && place >= 0; place = bob.Next(place) {
		e := bob.Example(t.Context(), place)
		if e.Decided != "" || len(e.Said) > 0 || bob.seen(s.order[place]).Action != "" {
			t.Fatalf("bob is told %q, %v", e.Decided, e.Said)
		}
		label := e.Given
		if len(asked)%4 == 0 { // otherwise they agree
			label = e.Likely[slices.IndexFunc(e.Likely, func(c string) bool { return c != e.Given })]
		}
		asked = append(asked, place)
		bob.choose(t, place, label)
		if n := len(eve.queue(-1, 300)); n != 200+s.waiting() {
			t.Fatalf("eve is asked about %d", n)
		}
	}
	// 30 % of 100, four standard deviations
	if n := len(asked); n < 18 || n > 42 || s.waiting() != 0 || !slices.IsSorted(asked) {
		t.Fatalf("%d second opinions, %d wait", n, s.waiting())
	}
	conflicts := (len(asked) + 3) / 4
	p := eve.Progress()
	a := p.Reviewed.Agreements[0]
	if p.Conflicts != conflicts || p.Decided != 100-conflicts || a.Both != len(asked) ||
		a.Same != len(asked)-conflicts || a.Kappa == nil {
		t.Errorf("%+v, %+v", p, p.Reviewed)
	}
	list := string(expect.Got(os.ReadFile(f.Path(audit.ConflictsFile)))(t))
	expect.Same(t, 1+2*conflicts, strings.Count(list, "\n"))
	expect.Same(t, conflicts, eve.showing(t, "conflict"))
	place := asked[0]
	choice := Choice{Place: place, ID: s.issues[s.order[place]].ID, Action: audit.None}
	if e := eve.Example(t.Context(), place); e.Decided != "conflict" || len(e.Said) != 2 || e.Said[0].Reviewer != "ann" ||
		e.Said[0].Label != e.Given {
		t.Errorf("%q, %+v", e.Decided, e.Said)
	}
	expect.OK(t, eve.save(true, []Choice{choice}))
	if e := bob.Example(t.Context(), place); e.Decided != "none" || len(e.Said) != 3 || !e.Said[2].Settles {
		t.Errorf("%q, %+v", e.Decided, e.Said)
	}
	after := eve.Progress()
	if after.Conflicts != conflicts-1 || after.None != 1 || after.Mine != 0 {
		t.Errorf("%+v", after)
	}
	expect.Same(t, p.Reviewed.Agreements, after.Reviewed.Agreements)
	if err := eve.save(true, []Choice{{Place: 250, ID: s.issues[s.order[250]].ID, Action: audit.None}}); err == nil {
		t.Error("what nobody disagrees on is settled")
	}
	if err := eve.save(true, []Choice{{Place: asked[4], ID: s.issues[s.order[asked[4]]].ID}}); err == nil {
		t.Error("a skip settles a conflict")
	}
	expect.Same(t, place, expect.Got(eve.Undo())(t))
	expect.Same(t, p, eve.Progress())
	expect.OK(t, eve.save(true, []Choice{choice}))
	shut(t, s)
	s = several(t, f, 100)
	if got := s.as(t, "bob").Progress(); got.Conflicts != conflicts-1 || got.None != 1 {
		t.Errorf("opened again: %+v", got)
	}
	expect.Same(t, 100-len(asked), s.waiting()) // second opinions at 100 %
}

// Many choices are saved together and undone together, all or none.
func TestDecideMany(t *testing.T) {
	f, s := served(t, 100)
	var many []Choice
	for place := range 40 {
		i := s.issues[s.order[place]]
		many = append(many, Choice{Place: place, ID: i.ID, Label: i.Suggested})
	}
	s.alone().choose(t, 3, "")
	before := s.Progress()
	var d decided
	post := func(choices []Choice, into any) int {
		code, _ := s.post(t, "api/decide-many", map[string]any{"choices": choices}, into)
		return code
	}
	if code := post(many, &d); code != 200 || d.Progress.Decided != 40 || d.Next != 40 {
		t.Fatalf("%d %+v", code, d)
	}
	if s.post(t, "api/undo", nil, &d); d.Place != 0 || s.alone().last(s.order[3]).Action != audit.Skip {
		t.Errorf("%+v", d)
	}
	expect.Same(t, before, s.Progress())
	many[20].ID = "x"
	expect.Same(t, http.StatusConflict, post(many, nil))
	expect.Same(t, before, s.Progress())
	expect.Same(t, http.StatusBadRequest, post([]Choice{}, nil))
	expect.Same(t, http.StatusBadRequest, post(make([]Choice, 501), nil))
	before.Mine = 0
	s.restore(expect.Got(f.Said(s.summary.Source))(t))
	expect.Same(t, before, s.Progress())
}

// Three people at once lose no decision.
func TestReviewersAtOnce(t *testing.T) {
	f := images(t, 300)
	s := several(t, f, 50)
	var wait sync.WaitGroup
	for k := range 3 {
		r := s.as(t, fmt.Sprint("person ", k))
		wait.Go(func() {
			for range 60 {
				place := r.Next(-1)
				e := r.Example(t.Context(), place)
				if err := r.Decide(Choice{Place: place, ID: e.ID, Label: s.classes[k]}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	p := s.Progress()
	shut(t, s)
	list := expect.Got(f.Said(own.Source{}))(t)
	r := audit.TallyOf(list).Reviewed()
	expect.Same(t, p.Reviewed, r)
	if len(list) != 180 || len(r.Reviewers) != 3 || r.Reviewers[0].Decided != 60 || r.Conflicts == 0 {
		t.Errorf("%d lines, %+v", len(list), r)
	}
	for _, o := range audit.TallyOf(list) {
		if len(o) > 2 {
			t.Errorf("%d opinions on %s", len(o), o[0].ID)
		}
	}
}

// A page without a name is asked for one, and gets nothing else.
func TestNamesAreAskedFor(t *testing.T) {
	f := images(t, 100)
	s := serve(t, several(t, f, 0))
	s.as(t, "ann").choose(t, 0, "")
	_, text, _ := s.get(t, "api/session", nil)
	expect.Same(t, `{"ask":true,"reviewers":["ann"]}`, strings.TrimSpace(text))
	code, _, _ := s.get(t, "api/list?from=0&count=1", nil)
	expect.Same(t, http.StatusBadRequest, code) // a list without a name
	code, _ = s.post(t, "api/decide", Choice{Place: 0, ID: s.issues[s.order[0]].ID}, nil)
	expect.Same(t, http.StatusBadRequest, code) // a decision without a name
	ask := func(name string) (b began, code int) {
		request := expect.Got(http.NewRequest(http.MethodGet, s.url("api/session"), nil))(t)
		request.Header.Set(nameHeader, name)
		code, _, _ = receive(t, expect.Got(http.DefaultClient.Do(request))(t), &b)
		return b, code
	}
	if b, code := ask(url.QueryEscape("Zoë \"z\"")); code != 200 || b.Examples != 100 ||
		s.as(t, "ZOË \"Z\"").name != "Zoë \"z\"" {
		t.Errorf("%d %+v", code, b)
	}
	// A single reviewer is not asked for a name, whatever the page sends.
	alone, one := opened(t, 100)
	expect.Same(t, "", one.as(t, "ann").name)
	shut(t, one)
	o := options(t, alone)
	o.Reviewer, o.Second = "bob", 10
	expect.Same(t, "bob", open(t, alone, o).as(t, "ann").name)
}

// The log has the reason for each question, and how long the reviewer looked at the example.
func TestWhy(t *testing.T) {
	f := images(t, 100)
	o := options(t, f)
	o.Random, o.Second, o.Several = 10, 100, true
	s := open(t, f, o)
	ann, bob := s.as(t, "ann"), s.as(t, "bob")
	ann.Example(t.Context(), 0)
	ann.Example(t.Context(), 12) // loaded ahead by the page
	time.Sleep(120 * time.Millisecond)
	ann.choose(t, 0, ann.classes[0])
	ann.choose(t, 12, ann.classes[0])
	bob.choose(t, 12, bob.classes[1])
	bob.choose(t, 13, bob.classes[1])
	settled := Choice{Place: 12, ID: s.issues[s.order[12]].ID, Label: s.classes[0]}
	expect.OK(t, ann.save(true, []Choice{settled}))
	shut(t, s)
	want := []audit.Why{audit.AtRandom, audit.Doubtful, audit.Second, audit.Doubtful, audit.Settlement}
	said := expect.Got(f.Said(s.summary.Source))(t)
	for k, d := range said {
		if d.Why != want[k] {
			t.Errorf("answer %d was asked for as %q, want %q", k, d.Why, want[k])
		}
	}
	if first, second := said[0].Seconds, said[1].Seconds; first < .1 || second > .1 || said[2].Seconds != 0 {
		t.Errorf("the answers took %v, %v and %v seconds", first, second, said[2].Seconds)
	}
}

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
