package review

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/audit/audittest"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/store"
)

// options are those of a made folder, whose originals need no package dataset.
func options(t *testing.T, f *audit.Folder) Options {
	t.Helper()
	look, err := audittest.Originals(f)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Originals: look}
}

func open(t *testing.T, f *audit.Folder, o Options) *Session {
	t.Helper()
	s, err := Open(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func images(t *testing.T, n int) *audit.Folder {
	t.Helper()
	f, err := audittest.Images(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// site is a session that is served.
type site struct {
	*Session
	server *httptest.Server
}

func serve(t *testing.T, s *Session) site {
	t.Helper()
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return site{s, server}
}

func (s site) url(path string) string { return s.server.URL + s.base() + path }

// get reads JSON, or a text where into is nil.
func (s site) get(t *testing.T, path string, into any) (int, string, http.Header) {
	t.Helper()
	answer, err := http.Get(s.url(path))
	if err != nil {
		t.Fatal(err)
	}
	return receive(t, answer, into)
}

func receive(t *testing.T, answer *http.Response, into any) (int, string, http.Header) {
	t.Helper()
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.StatusCode, string(body), answer.Header
}

func (s site) post(t *testing.T, path string, what, into any) (int, string) {
	t.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, s.url(path), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", s.server.URL)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	code, text, _ := receive(t, answer, into)
	return code, text
}

type decided struct {
	Progress Progress
	Next     int
	Place    int
}

// asked is how many examples a made folder asks for first.
const asked = 5

func TestReview(t *testing.T) {
	f := images(t, 400)
	s := serve(t, open(t, f, options(t, f)))
	var begun struct {
		Classes  []string
		Examples int
		Next     int
		Progress Progress
	}
	s.get(t, "api/session", &begun)
	if begun.Examples != 400 || len(begun.Classes) != 5 || begun.Next != 0 || begun.Progress.Goal < 50 {
		t.Fatalf("%+v", begun)
	}

	// The examples of Summary.Ask, which name the row of class 0, come first; then the worst.
	var places []Example
	for place := range asked + 2 {
		var e Example
		s.get(t, fmt.Sprintf("api/example?place=%d", place), &e)
		if (e.Asked != "") != (place < asked) || place < asked && e.Likely[0] != "circle" {
			t.Errorf("place %d: %+v", place, e)
		}
		if e.Near[0].Class != e.Given || len(e.Near[0].Looks) != nearCount || !e.Look.Image || e.Missing != "" {
			t.Errorf("place %d: %+v", place, e)
		}
		places = append(places, e)
	}
	if places[asked].Rank > places[asked+1].Rank {
		t.Errorf("ranks %d, %d", places[asked].Rank, places[asked+1].Rank)
	}

	code, picture, header := s.get(t, fmt.Sprintf("api/image?row=%d", places[0].Look.Row), nil)
	want, err := os.ReadFile(f.Path("..", "shapes", places[0].ID))
	if err != nil || code != 200 || picture != string(want) || header.Get("Content-Type") != "image/png" {
		t.Errorf("image: %d %s, %d bytes, want %d; %v", code, header.Get("Content-Type"), len(picture), len(want), err)
	}

	decide := func(place int, label string) decided {
		t.Helper()
		var d decided
		s.post(t, "api/decide", map[string]any{"place": place, "id": places[place].ID, "label": label}, &d)
		return d
	}
	if d := decide(0, places[0].Given); d.Next != 1 || d.Progress.Decided != 1 || d.Progress.Changed != 0 {
		t.Errorf("%+v", d)
	}
	if d := decide(asked, places[asked].Suggested); d.Next != asked+1 || d.Progress.Changed != 1 || *d.Progress.Left >= *begun.Progress.Left-.9 {
		t.Errorf("%+v", d)
	}
	if d := decide(1, ""); d.Next != 2 || d.Progress.Skipped != 1 {
		t.Errorf("%+v", d)
	}
	third := begun.Classes[slices.IndexFunc(begun.Classes, func(c string) bool { return c != places[2].Given && c != places[2].Suggested })]
	decide(2, third)
	var d decided
	if s.post(t, "api/undo", nil, &d); d.Place != 2 || d.Progress.Decided != 2 {
		t.Errorf("undo: %+v", d)
	}
	decide(2, third)
	var e Example
	if s.get(t, "api/example?place=2", &e); e.Decided != string(audit.Other) || e.Label != third {
		t.Errorf("%+v", e)
	}

	got, err := audit.ReadDecisions(f.Path(audit.DecisionsFile))
	var actions []audit.Action
	for _, d := range got {
		actions = append(actions, d.Action)
	}
	if diff := gocmp.Diff([]audit.Action{audit.Accept, audit.Suggested, audit.Skip, audit.Other, audit.Undo, audit.Other}, actions); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestRefuses(t *testing.T) {
	f := images(t, 60)
	s := serve(t, open(t, f, options(t, f)))
	first := s.issues[s.order[0]]
	good := map[string]any{"place": 0, "id": first.ID, "label": first.Given}
	for _, tt := range []struct {
		name, method, path, host, origin string
		body                             any
		want                             int
	}{
		{"another host name", "GET", "api/session", "evil.example:80", "", nil, 403},
		{"a name that begins like it", "GET", "api/session", "127.0.0.1.evil.example", "", nil, 403},
		{"another site", "POST", "api/decide", "", "http://evil.example", good, 403},
		{"no origin", "POST", "api/decide", "", "", good, 403},
		{"another port", "POST", "api/decide", "", "http://127.0.0.1:1", good, 403},
		{"undo from another site", "POST", "api/undo", "", "null", nil, 403},
		{"a change by GET", "GET", "api/undo", "", "", nil, 405},
		{"no secret", "GET", "../api/session", "", "", nil, 404},
		{"no such place", "GET", "api/example?place=60", "", "", nil, 400},
		{"no place", "GET", "api/example?place=x", "", "", nil, 400},
		{"no such row", "GET", "api/image?row=-1", "", "", nil, 400},
		{"too many lines", "GET", "api/list?from=0&count=501", "", "", nil, 400},
		{"another audit's page", "POST", "api/decide", "", "same", map[string]any{"place": 0, "id": "x", "label": "circle"}, 409},
		{"no such class", "POST", "api/decide", "", "same", map[string]any{"place": 0, "id": first.ID, "label": "cow"}, 500},
		{"a huge body", "POST", "api/decide", "", "same", map[string]any{"id": strings.Repeat("x", 70<<10)}, 400},
		{"a tunnel", "GET", "api/session", "localhost:9000", "", nil, 200},
		{"the page", "POST", "api/decide", "", "same", good, 200},
	} {
		body, err := json.Marshal(tt.body)
		if err != nil {
			t.Fatal(err)
		}
		address := s.url(tt.path)
		if path, up := strings.CutPrefix(tt.path, "../"); up {
			address = s.server.URL + "/" + path
		}
		request, err := http.NewRequest(tt.method, address, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if tt.host != "" {
			request.Host = tt.host
		}
		if tt.origin == "same" {
			tt.origin = s.server.URL
		}
		if tt.origin != "" {
			request.Header.Set("Origin", tt.origin)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, answer.StatusCode, tt.want)
		}
		if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", tt.name, csp)
		}
	}
	if got, err := audit.ReadDecisions(f.Path(audit.DecisionsFile)); err != nil || len(got) != 1 {
		t.Errorf("%d decisions, %v; want that of the page", len(got), err)
	}
}

// Who sends a decision slowly is not waited for.
func TestSlowBody(t *testing.T) {
	f := images(t, 60)
	s := serve(t, open(t, f, options(t, f)))
	defer func(before time.Duration) { readTime = before }(readTime)
	readTime = time.Millisecond
	at := s.server.Listener.Addr().String()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil { // of a server that waits for ever
		t.Fatal(err)
	}
	fmt.Fprintf(c, "POST %sapi/decide HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[2]s\r\nContent-Length: 100\r\n\r\n{", s.base(), at)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", answer.StatusCode)
	}
}

// The list has small pictures of all formats, and loads those that come next with one.
func TestThumbnails(t *testing.T) {
	f := images(t, 60)
	o := options(t, f)
	good, calls := o.Originals, 0
	o.Originals = func(ctx context.Context, ids []string) ([]dataset.Original, error) {
		calls++
		return good(ctx, ids)
	}
	s := serve(t, open(t, f, o))
	var a struct{ Lines []Line }
	s.get(t, "api/list?from=0&count=20&sort=id", &a)
	for _, l := range a.Lines {
		code, body, header := s.get(t, fmt.Sprintf("api/thumbnail?row=%d", l.Row), nil)
		small, _, err := image.Decode(strings.NewReader(body))
		if code != 200 || err != nil || max(small.Bounds().Dx(), small.Bounds().Dy()) > 160 || !strings.HasPrefix(header.Get("Content-Type"), "image/") {
			t.Fatalf("row %d: %d, %v", l.Row, code, err)
		}
	}
	if calls != 1 {
		t.Errorf("%d calls for the pictures of a list", calls)
	}
	if code, _, _ := s.get(t, "api/thumbnail?row=60", nil); code != 400 {
		t.Errorf("no such row: %d", code)
	}
	var begun struct{ Images bool }
	if s.get(t, "api/session", &begun); !begun.Images {
		t.Error("the page is not told of images")
	}
}

// Where no other label is suggested, the likeliest other class can be chosen.
func TestRunnerUp(t *testing.T) {
	f := images(t, 200)
	s := open(t, f, options(t, f))
	seen := 0
	for place, i := range s.order {
		issue, e := s.issues[i], s.Example(t.Context(), place)
		likely := slices.DeleteFunc(s.near.likely(issue.Row), func(c string) bool { return c == issue.Given })
		switch {
		case issue.Given != issue.Suggested && e.Runner != "":
			t.Fatalf("%+v has a suggestion and a runner-up", e)
		case issue.Given == issue.Suggested && e.Runner != likely[0]:
			t.Fatalf("%+v, want %s", e, likely[0])
		case e.Runner != "":
			seen++
		}
	}
	if seen == 0 {
		t.Error("no runner-up")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	f := images(t, 60)
	s := serve(t, open(t, f, options(t, f)))
	for path, want := range map[string]string{"": "text/html", "review.js": "text/javascript", "list.js": "text/javascript", "review.css": "text/css"} {
		code, body, header := s.get(t, path, nil)
		if code != 200 || !strings.HasPrefix(header.Get("Content-Type"), want) || len(body) < 1000 {
			t.Errorf("%q: %d, %s, %d bytes", path, code, header.Get("Content-Type"), len(body))
		}
	}
}

// A session that is opened again is where the last one was, with its undo.
func TestResume(t *testing.T) {
	f, err := audittest.Texts(t.TempDir(), 300)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, f, options(t, f))
	for place, label := range []string{"positive", "", "negative", "positive", "positive"} {
		if err := s.Decide(place, s.issues[s.order[place]].ID, label); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	want := s.Progress()
	if _, err := Open(f, Options{}); err == nil || !strings.Contains(err.Error(), "another losscorr review") {
		t.Errorf("a second session: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, f, options(t, f))
	if diff := gocmp.Diff(want, s.Progress()); diff != "" || s.Next(-1) != 4 {
		t.Errorf("next is %d, want 4 (-want +got):\n%s", s.Next(-1), diff)
	}
	for _, want := range []int{3, 2, 1, 0, -1} {
		if got, err := s.Undo(); got != want || err != nil {
			t.Errorf("undo of %d, %v; want %d", got, err, want)
		}
	}
	for place := range s.order {
		if err := s.Decide(place, s.issues[s.order[place]].ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Next(10); got != -1 {
		t.Errorf("after all, next is %d", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// The undo of a changed decision restores the one before, also after the review is opened
// again; an undo of an earlier revision, which restored nothing, leaves the example undecided.
func TestUndoRestores(t *testing.T) {
	f := images(t, 60)
	s := open(t, f, options(t, f))
	decide := func(place int, label string) {
		t.Helper()
		if err := s.Decide(place, s.issues[s.order[place]].ID, label); err != nil {
			t.Fatal(err)
		}
	}
	undo := func(place int, want audit.Action) {
		t.Helper()
		got, err := s.Undo()
		if err != nil || got != place || s.last(s.order[place]).Action != want {
			t.Fatalf("undo of %d, %v; want %d with %q, it has %q", got, err, place, want, s.last(s.order[place]).Action)
		}
	}
	given := s.issues[s.order[0]].Given
	other := s.classes[slices.IndexFunc(s.classes, func(c string) bool { return c != given && c != s.issues[s.order[0]].Suggested })]
	decide(0, given)
	decide(1, "")
	decide(0, other)
	decide(0, "")
	undo(0, audit.Other)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
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
	if p := s.Progress(); p.Decided != 0 || p.Skipped != 1 || len(s.history) != 1 {
		t.Errorf("%+v, %v", p, s.history)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Examples that several classes fit, or none, are decided and have no label.
func TestWithoutLabel(t *testing.T) {
	f := images(t, 100)
	s := serve(t, open(t, f, options(t, f)))
	before := s.Progress()
	var d decided
	for place, action := range []audit.Action{audit.Ambiguous, audit.None, audit.Skip} {
		if code, text := s.post(t, "api/decide", map[string]any{"place": place, "id": s.issues[s.order[place]].ID, "action": action}, &d); code != 200 || d.Next != place+1 {
			t.Fatalf("%s: %d %s", action, code, text)
		}
	}
	sum := s.issues[s.order[0]].PWrong + s.issues[s.order[1]].PWrong
	if p := d.Progress; p.Ambiguous != 1 || p.None != 1 || p.Skipped != 1 || p.Decided != 0 || math.Abs(*p.Left-*before.Left+sum) > 1e-9 {
		t.Errorf("%+v, before %+v", p, before)
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
	if err != nil || len(list) != 3 || len(audit.TrustedLabels(list)) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if s.resume(list); s.Progress() != d.Progress {
		t.Errorf("resumed: %+v", s.Progress())
	}
}

// A decision on another label than the one that is given now has no effect.
func TestStaleDecision(t *testing.T) {
	f := images(t, 60)
	s := open(t, f, options(t, f))
	one, two := s.issues[0], s.issues[1]
	other := s.classes[slices.IndexFunc(s.classes, func(c string) bool { return c != one.Given && c != two.Given })]
	s.resume([]audit.Decision{
		{ID: one.ID, Given: other, Label: other, Action: audit.Accept},
		{ID: two.ID, Given: other, Label: two.Given, Action: audit.Other}, // corrected since
		{ID: "none", Given: other, Action: audit.Skip},
	})
	if s.last(0).Action != "" || s.last(1).Action != audit.Other || len(s.history) != 1 {
		t.Errorf("%+v, %+v", s.last(0), s.last(1))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// An example whose label is suggested, too, is compared with the likeliest other class.
func TestComparedWith(t *testing.T) {
	for _, tt := range []struct {
		given, suggested string
		likely, want     []string
	}{
		{"a", "b", []string{"c", "b", "a"}, []string{"a", "b"}},
		{"a", "a", []string{"a", "b", "c"}, []string{"a", "b"}},
		{"b", "b", []string{"a", "b", "c"}, []string{"b", "a"}},
		{"c", "c", []string{"a", "b", "c"}, []string{"c", "a"}},
	} {
		if got := (&Session{}).nearOf(audit.Issue{Given: tt.given, Suggested: tt.suggested}, tt.likely); !slices.Equal(got, tt.want) {
			t.Errorf("%s, suggested %s, likely %s: %s, want %s", tt.given, tt.suggested, tt.likely, got, tt.want)
		}
	}
}

func TestList(t *testing.T) {
	f := images(t, 400)
	s := serve(t, open(t, f, options(t, f)))
	type answer struct {
		Total int
		Lines []Line
	}
	list := func(query string) answer {
		t.Helper()
		var a answer
		s.get(t, "api/list?"+query, &a)
		return a
	}
	all := list("from=0&count=10")
	if all.Total != 400 || len(all.Lines) != 10 || all.Lines[3].Place != 3 {
		t.Errorf("%+v", all)
	}
	if diff := gocmp.Diff(all.Lines[7:], list("from=7&count=3").Lines); diff != "" {
		t.Error(diff)
	}
	for by, less := range map[string]func(a, b Line) int{
		"rank":    func(a, b Line) int { return cmp.Compare(a.Rank, b.Rank) },
		"id":      func(a, b Line) int { return cmp.Compare(a.ID, b.ID) },
		"given":   func(a, b Line) int { return cmp.Or(cmp.Compare(a.Given, b.Given), cmp.Compare(a.Rank, b.Rank)) },
		"p_wrong": func(a, b Line) int { return cmp.Or(cmp.Compare(a.PWrong, b.PWrong), cmp.Compare(b.Rank, a.Rank)) },
	} {
		got := list("from=0&count=400&sort=" + by)
		if got.Total != 400 || !slices.IsSortedFunc(got.Lines, less) || slices.IsSortedFunc(all.Lines, less) {
			t.Errorf("by %s: %d, sorted %v", by, got.Total, slices.IsSortedFunc(got.Lines, less))
		}
		if part := list("from=100&count=50&class=cross&sort=" + by); !slices.IsSortedFunc(part.Lines, less) {
			t.Errorf("a part by %s is not sorted", by)
		}
		for _, l := range got.Lines[:5] {
			if want := s.issues[s.order[l.Place]]; l.ID != want.ID || l.Row != want.Row {
				t.Errorf("by %s: %+v is at the place of %+v", by, l, want)
			}
		}
	}
	if code, _, _ := s.get(t, "api/list?from=0&count=1&sort=size", nil); code != 400 {
		t.Errorf("an unknown order: %d", code)
	}
	if got := list("from=395&count=10"); len(got.Lines) != 5 {
		t.Errorf("%d lines at the end", len(got.Lines))
	}
	id := all.Lines[6].ID
	if got := list("from=0&count=10&text=" + url.QueryEscape(strings.ToUpper(id))); got.Total != 1 || got.Lines[0].ID != id {
		t.Errorf("%+v", got)
	}
	s.issues[s.order[6]].ID = "IMG_1.JPG"
	for text, want := range map[string]int{"img_1.j": 1, "IMG_1.JPG": 1, "Img_2": 0} {
		if got := list("from=0&count=10&text=" + text); got.Total != want {
			t.Errorf("%q: %d of name IMG_1.JPG, want %d", text, got.Total, want)
		}
	}
	s.issues[s.order[6]].ID = id
	if got := list("from=0&count=500&class=cross"); got.Total == 0 || got.Total == 400 || slices.ContainsFunc(got.Lines, func(l Line) bool { return l.Given != "cross" && l.Suggested != "cross" }) {
		t.Errorf("%d of class cross", got.Total)
	}
	decide := func(place int, label string) {
		t.Helper()
		if err := s.Decide(place, s.issues[s.order[place]].ID, label); err != nil {
			t.Fatal(err)
		}
	}
	changed := slices.IndexFunc(all.Lines, func(l Line) bool { return l.Given != l.Suggested })
	decide(changed, all.Lines[changed].Suggested)
	decide(8, all.Lines[8].Given)
	decide(9, "")
	for show, want := range map[string]int{"": 400, "undecided": 397, "decided": 2, "changed": 1, "skipped": 1} {
		if got := list("from=0&count=0&show=" + show).Total; got != want {
			t.Errorf("%q: %d, want %d", show, got, want)
		}
	}
}

// What cannot be read is said, and does not stop the review.
func TestUnreadable(t *testing.T) {
	f := images(t, 100)
	o := options(t, f)
	good, broken := o.Originals, ""
	calls := 0
	o.Originals = func(ctx context.Context, ids []string) ([]dataset.Original, error) {
		calls++
		if slices.Contains(ids, broken) {
			return nil, errors.New("the file is cut off")
		}
		return good(ctx, ids)
	}
	s := open(t, f, o)
	broken = s.issues[s.order[0]].ID
	e := s.Example(t.Context(), 0)
	if e.Missing != "The example cannot be read: the file is cut off" || len(e.Near[0].Looks) == 0 {
		t.Errorf("%+v", e)
	}
	broken, calls = "", 0
	if e := s.Example(t.Context(), 0); !e.Look.Image || calls != 1 {
		t.Errorf("%d calls: %+v", calls, e)
	}
	if e := s.Example(t.Context(), 1); !e.Look.Image || calls != 1 {
		t.Errorf("%d calls for what was loaded ahead: %+v", calls, e.Look)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// An example that is no longer what was audited is said to be replaced.
func TestReplaced(t *testing.T) {
	f := images(t, 60)
	sums := make([]uint64, 60)
	for k := range sums {
		sums[k] = 7
	}
	if err := f.WriteSums(sums); err != nil {
		t.Fatal(err)
	}
	o := options(t, f)
	good, sum := o.Originals, uint64(7)
	o.Originals = func(ctx context.Context, ids []string) ([]dataset.Original, error) {
		list, err := good(ctx, ids)
		for k := range list {
			list[k].Sum = sum
		}
		return list, err
	}
	for _, now := range []uint64{7, 8, 0} { // the last one is not known
		sum = now
		s := open(t, f, o)
		if e := s.Example(t.Context(), 0); (e.Replaced != "") != (now == 8) {
			t.Errorf("%d: %q", now, e.Replaced)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.WriteSums(sums[1:]); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, o); !errors.Is(err, store.ErrData) || !strings.Contains(err.Error(), "content_hashes.npy has 59 rows") {
		t.Error(err)
	}
}

func TestLooksAreBounded(t *testing.T) {
	issues := make([]audit.Issue, 200)
	for row := range issues {
		issues[row].Row = row
	}
	l := newLooks(issues, func(_ context.Context, ids []string) ([]dataset.Original, error) {
		out := make([]dataset.Original, len(ids))
		for k := range out {
			out[k].Image = make([]byte, 1<<20)
		}
		return out, nil
	})
	for row := range issues {
		if got, err := l.get(t.Context(), []int{row}, func(int) []int { return nil }); err != nil || len(got[row].Image) != 1<<20 {
			t.Fatalf("row %d: %v", row, err)
		}
	}
	if l.bytes > keptBytes || len(l.kept) != len(l.rows) || len(l.kept) != keptBytes>>20 {
		t.Errorf("%d bytes of %d, %d", l.bytes, len(l.kept), len(l.rows))
	}
}

// The nearest ones are those that a search of all pairs finds.
func TestNearest(t *testing.T) {
	f := images(t, 500)
	s := open(t, f, options(t, f))
	// The last ones are themselves examples that show what a class is like.
	for _, issue := range slices.Concat(s.issues[:20], s.issues[len(s.issues)-20:]) {
		for _, class := range s.classes {
			got := s.near.nearest(issue.Row, class, 4)
			distance := func(row int) float64 {
				d := 0.0
				for k, v := range s.near.roots.Row(row) {
					d += float64(v-s.near.roots.Row(issue.Row)[k]) * float64(v-s.near.roots.Row(issue.Row)[k])
				}
				return d
			}
			if len(got) != 4 || !slices.IsSortedFunc(got, func(a, b int) int { return cmpFloat(distance(a), distance(b)) }) {
				t.Fatalf("%v", got)
			}
			for _, other := range s.issues {
				sure := other.Given == class && other.PWrong <= confident && other.Row != issue.Row
				if !sure && slices.Contains(got, other.Row) || sure && !slices.Contains(got, other.Row) && distance(other.Row) < distance(got[3])-1e-6 {
					t.Errorf("row %d beside %d, of which %v are the nearest", other.Row, issue.Row, got)
				}
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b-1e-6:
		return -1
	case a > b+1e-6:
		return 1
	}
	return 0
}

func TestFilesThatDoNotFit(t *testing.T) {
	for want, damage := range map[string]func(*audit.Folder) error{
		"probabilities.npy has 3 classes": func(f *audit.Folder) error { return f.WriteProbabilities(make([]float32, 180), 3) },
		"probabilities.npy has 59 rows":   func(f *audit.Folder) error { return f.WriteProbabilities(make([]float32, 59*5), 5) },
		"has a class that summary.json": func(f *audit.Folder) error {
			issues, err := f.Issues()
			if err == nil {
				issues[3].Given = "cow"
				err = f.WriteIssues(issues)
			}
			return err
		},
		"no probabilities.npy": func(f *audit.Folder) error { return os.Remove(f.Path(audit.ProbabilitiesFile)) },
		"decisions.csv: line 1": func(f *audit.Folder) error {
			return os.WriteFile(f.Path(audit.DecisionsFile), []byte("x\n"), 0o666)
		},
	} {
		f := images(t, 60)
		if err := damage(f); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(f, Options{}); !errors.Is(err, store.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want bad data with %q", err, want)
		}
	}
}
