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

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/audit"
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
	r, err := s.Reviewer(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// choose decides the example at a place.
func (r *Reviewer) choose(t *testing.T, place int, label string) {
	t.Helper()
	if err := r.Decide(Choice{Place: place, ID: r.issues[r.order[place]].ID, Label: label}); err != nil {
		t.Fatal(err)
	}
}

// showing counts the examples of a list.
func (r *Reviewer) showing(t *testing.T, show string) int {
	t.Helper()
	n, _, err := r.List(t.Context(), Filter{Show: show}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Two people share the work: neither gets what the other has decided or is looking at, nor sees it, and each
// has an undo of one's own. All of it is there after the review is opened again.
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
	if a, b := ann.Next(0), bob.Next(1); a != 1 || b != 3 { // what bob could not tell is left for Ann
		t.Errorf("next are %d and %d", a, b)
	}
	if e := bob.Example(t.Context(), 0); e.Decided != string(others) || e.Label != "" || len(e.Said) > 0 {
		t.Errorf("bob sees %+v", e.Said)
	}
	for show, want := range map[string][2]int{"others": {0, 2}, "decided": {2, 0}, "undecided": {198, 197}, "skipped": {0, 1}} {
		a := ann.showing(t, show)
		b := bob.showing(t, show)
		if a != want[0] || b != want[1] {
			t.Errorf("%s: %d and %d, want %v", show, a, b, want)
		}
	}
	if p := bob.Progress(); p.Decided != 2 || p.Mine != 1 || p.Conflicts != 0 {
		t.Errorf("%+v", p)
	}
	if place, err := bob.Undo(); place != 1 || err != nil {
		t.Error(place, err)
	}
	if place, err := bob.Undo(); place != -1 || err != nil {
		t.Errorf("bob takes back place %d of Ann, %v", place, err)
	}
	want := ann.Progress()
	shut(t, s)
	o := options(t, f) // names are in the folder: they are asked for
	s = open(t, f, o)
	if _, err := s.Reviewer(""); err == nil {
		t.Error("nobody reviews")
	}
	ann = s.as(t, "ann")
	if diff := cmp.Diff(want, ann.Progress()); diff != "" || ann.name != "Ann" {
		t.Errorf("%s resumes (-want +got):\n%s", ann.name, diff)
	}
	if place, err := ann.Undo(); place != 2 || err != nil {
		t.Error(place, err)
	}
	shut(t, s)
}

// A second opinion is asked before new examples, without a sign of the first one; a conflict counts as
// undecided until somebody settles it, also if that is taken back.
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
		if len(asked)%4 == 0 { // else they agree
			label = e.Likely[slices.IndexFunc(e.Likely, func(c string) bool { return c != e.Given })]
		}
		asked = append(asked, place)
		bob.choose(t, place, label)
		if n := len(eve.queue(-1, 300)); n != 200+s.waiting {
			t.Fatalf("eve is asked about %d", n)
		}
	}
	if n := len(asked); n < 18 || n > 42 || s.waiting != 0 || !slices.IsSorted(asked) { // 30 % of 100, four standard deviations
		t.Fatalf("%d second opinions, %d wait", n, s.waiting)
	}
	conflicts := (len(asked) + 3) / 4
	p := eve.Progress()
	if p.Conflicts != conflicts || p.Decided != 100-conflicts || p.Reviewed.Agreements[0].Both != len(asked) || p.Reviewed.Agreements[0].Same != len(asked)-conflicts || p.Reviewed.Agreements[0].Kappa == nil {
		t.Errorf("%+v, %+v", p, p.Reviewed)
	}
	list, err := os.ReadFile(f.Path(audit.ConflictsFile))
	if lines := strings.Count(string(list), "\n"); err != nil || lines != 1+2*conflicts {
		t.Errorf("%d lines, %v", lines, err)
	}
	if n := eve.showing(t, "conflict"); n != conflicts {
		t.Errorf("%d conflicts are listed", n)
	}
	place := asked[0]
	choice := Choice{Place: place, ID: s.issues[s.order[place]].ID, Action: audit.None}
	if e := eve.Example(t.Context(), place); e.Decided != "conflict" || len(e.Said) != 2 || e.Said[0].Reviewer != "ann" || e.Said[0].Label != e.Given {
		t.Errorf("%q, %+v", e.Decided, e.Said)
	}
	if err := eve.save(true, []Choice{choice}); err != nil {
		t.Fatal(err)
	}
	if e := bob.Example(t.Context(), place); e.Decided != "none" || len(e.Said) != 3 || !e.Said[2].Settles {
		t.Errorf("%q, %+v", e.Decided, e.Said)
	}
	after := eve.Progress()
	if after.Conflicts != conflicts-1 || after.None != 1 || after.Mine != 0 || cmp.Diff(p.Reviewed.Agreements, after.Reviewed.Agreements) != "" {
		t.Errorf("%+v, %+v", after, after.Reviewed)
	}
	if err := eve.save(true, []Choice{{Place: 250, ID: s.issues[s.order[250]].ID, Action: audit.None}}); err == nil {
		t.Error("what nobody disagrees on is settled")
	}
	if err := eve.save(true, []Choice{{Place: asked[4], ID: s.issues[s.order[asked[4]]].ID}}); err == nil {
		t.Error("a skip settles a conflict")
	}
	if back, err := eve.Undo(); back != place || err != nil || cmp.Diff(p, eve.Progress()) != "" {
		t.Errorf("undo of %d, %v (-want +got):\n%s", back, err, cmp.Diff(p, eve.Progress()))
	}
	if err := eve.save(true, []Choice{choice}); err != nil {
		t.Fatal(err)
	}
	shut(t, s)
	s = several(t, f, 100)
	if got := s.as(t, "bob").Progress(); got.Conflicts != conflicts-1 || got.None != 1 {
		t.Errorf("opened again: %+v", got)
	}
	if n := s.waiting; n != 100-len(asked) {
		t.Errorf("%d wait for a second opinion at 100 %%", n)
	}
	shut(t, s)
}

// Many choices are saved together and undone together, all or none.
func TestDecideMany(t *testing.T) {
	f := images(t, 100)
	s := serve(t, open(t, f, options(t, f)))
	var many []Choice
	for place := range 40 {
		many = append(many, Choice{Place: place, ID: s.issues[s.order[place]].ID, Label: s.issues[s.order[place]].Suggested})
	}
	s.alone().choose(t, 3, "")
	before := s.Progress()
	var d decided
	if code, text := s.post(t, "api/decide-many", map[string]any{"choices": many}, &d); code != 200 || d.Progress.Decided != 40 || d.Next != 40 {
		t.Fatalf("%d %s %+v", code, text, d)
	}
	if s.post(t, "api/undo", nil, &d); d.Place != 0 || cmp.Diff(before, s.Progress()) != "" || s.alone().last(s.order[3]).Action != audit.Skip {
		t.Errorf("%+v", d)
	}
	many[20].ID = "x"
	if code, _ := s.post(t, "api/decide-many", map[string]any{"choices": many}, nil); code != http.StatusConflict || cmp.Diff(before, s.Progress()) != "" {
		t.Errorf("%d, %+v", code, s.Progress())
	}
	for name, n := range map[string]int{"none": 0, "too many": 501} {
		if code, _ := s.post(t, "api/decide-many", map[string]any{"choices": make([]Choice, n)}, nil); code != http.StatusBadRequest {
			t.Errorf("%s: %d", name, code)
		}
	}
	before.Mine = 0
	list, err := audit.ReadDecisions(f.Path(audit.DecisionsFile))
	if err != nil {
		t.Fatal(err)
	}
	s.resume(list)
	if diff := cmp.Diff(before, s.Progress()); diff != "" {
		t.Errorf("opened again (-want +got):\n%s", diff)
	}
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
	list, err := audit.ReadDecisions(f.Path(audit.DecisionsFile))
	if err != nil || len(list) != 180 {
		t.Fatalf("%d lines, %v", len(list), err)
	}
	r := audit.TallyOf(list).Reviewed()
	if diff := cmp.Diff(p.Reviewed, r); diff != "" || len(r.Reviewers) != 3 || r.Reviewers[0].Decided != 60 || r.Conflicts == 0 {
		t.Errorf("-page +file:\n%s", diff)
	}
	for _, o := range audit.TallyOf(list) {
		if len(o) > 2 {
			t.Errorf("%d opinions on %s", len(o), o[0].ID)
		}
	}
}

// A page without a name is asked for one, and learns nothing else.
func TestNamesAreAskedFor(t *testing.T) {
	f := images(t, 100)
	s := serve(t, several(t, f, 0))
	s.as(t, "ann").choose(t, 0, "")
	if _, text, _ := s.get(t, "api/session", nil); strings.TrimSpace(text) != `{"ask":true,"reviewers":["ann"]}` {
		t.Errorf("%s", text)
	}
	if code, _, _ := s.get(t, "api/list?from=0&count=1", nil); code != http.StatusBadRequest {
		t.Errorf("a list for nobody: %d", code)
	}
	first := s.issues[s.order[0]]
	if code, _ := s.post(t, "api/decide", Choice{Place: 0, ID: first.ID}, nil); code != http.StatusBadRequest {
		t.Errorf("a decision of nobody: %d", code)
	}
	ask := func(name string) (b began, code int) {
		request, err := http.NewRequest(http.MethodGet, s.url("api/session"), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(nameHeader, name)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		code, _, _ = receive(t, answer, &b)
		return b, code
	}
	if b, code := ask(url.QueryEscape("Zoë \"z\"")); code != 200 || b.Examples != 100 || s.as(t, "ZOË \"Z\"").name != "Zoë \"z\"" {
		t.Errorf("%d %+v", code, b)
	}
	if b, code := ask("%zz"); code != 200 || b.Examples != 0 {
		t.Errorf("%d %+v", code, b)
	}
	// One who reviews alone is not asked, whatever a page says.
	alone := images(t, 100)
	one := serve(t, open(t, alone, options(t, alone)))
	if r, err := one.Reviewer("ann"); err != nil || r.name != "" {
		t.Errorf("%q, %v", r.name, err)
	}
	fixed := images(t, 100)
	o := options(t, fixed)
	o.Reviewer, o.Second = "bob", 10
	two := open(t, fixed, o)
	if r, err := two.Reviewer("ann"); err != nil || r.name != "bob" {
		t.Errorf("%q, %v", r.name, err)
	}
	shut(t, two)
}

// Too many names are refused before they fill the memory.
func TestManyNames(t *testing.T) {
	f := images(t, 100)
	s := several(t, f, 0)
	defer s.Close()
	for k := range mostPeople {
		s.as(t, fmt.Sprint(k))
	}
	if _, err := s.Reviewer("one more"); err == nil || len(s.people) > mostPeople {
		t.Error(err, len(s.people))
	}
	if _, err := s.Reviewer("0"); err != nil {
		t.Error(err)
	}
}

// What random checks say of several people: a conflict is no answer until it is settled, and holds back
// those after it.
func TestRandomChecksOfSeveral(t *testing.T) {
	f := images(t, 300)
	o := options(t, f)
	o.Random, o.Several, o.Second = 30, true, 100
	s := open(t, f, o)
	ann, bob := s.as(t, "ann"), s.as(t, "bob")
	for place := range 30 {
		ann.choose(t, place, s.issues[s.order[place]].Given)
	}
	all := s.Progress().Random
	if all.Checked != 30 || bob.Next(-1) != 0 || ann.Next(-1) != -1 {
		t.Fatalf("%+v, next %d and %d", all, bob.Next(-1), ann.Next(-1))
	}
	choice := Choice{Place: 15, ID: s.issues[s.order[15]].ID, Action: audit.None}
	if err := bob.Decide(choice); err != nil {
		t.Fatal(err)
	}
	held := s.Progress().Random
	if held.Checked != 29 || held.Count == nil || held.Count.Checked != 15 || held.Count.Ahead != 14 || held.Count.None != 0 {
		t.Errorf("%d are checked; %+v", held.Checked, held.Count)
	}
	if err := ann.save(true, []Choice{choice}); err != nil {
		t.Fatal(err)
	}
	if p := s.Progress().Random; p.Checked != 30 || p.Count.None != 1 || p.Count.Checked != 30 || p.Count.Ahead != 0 {
		t.Errorf("settled: %+v", p.Count)
	}
	shut(t, s)
}
