package review

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset"
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

func shut(t *testing.T, s *Session) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
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

// began is what the page is told first.
type began struct {
	Classes  []string
	Examples int
	Next     int
	Progress Progress
}

// The worst examples come first.
func TestReview(t *testing.T) {
	f := images(t, 400)
	s := serve(t, open(t, f, options(t, f)))
	var b began
	s.get(t, "api/session", &b)
	if b.Examples != 400 || len(b.Classes) != 5 || b.Next != 0 || b.Progress.Goal != s.summary.Flagged {
		t.Fatalf("%+v", b)
	}
	places := s.examples(t, 7)
	for place, e := range places {
		if e.Rank != place+1 || e.Asked != "" || e.Near[0].Class != e.Given || len(e.Near[0].Looks) != nearCount || !e.Look.Image || e.Missing != "" {
			t.Errorf("place %d: %+v", place, e)
		}
	}
	code, picture, header := s.get(t, fmt.Sprintf("api/image?row=%d", places[0].Look.Row), nil)
	want, err := os.ReadFile(f.Path("..", "shapes", places[0].ID))
	if err != nil || code != 200 || picture != string(want) || header.Get("Content-Type") != "image/png" {
		t.Errorf("image: %d %s, %d bytes, want %d; %v", code, header.Get("Content-Type"), len(picture), len(want), err)
	}
}

// examples gets those of the first places.
func (s site) examples(t *testing.T, n int) []Example {
	t.Helper()
	places := make([]Example, n)
	for place := range places {
		s.get(t, fmt.Sprintf("api/example?place=%d", place), &places[place])
	}
	return places
}

// The page's decisions change the progress, and decisions.csv has them.
func TestReviewDecides(t *testing.T) {
	f := images(t, 400)
	s := serve(t, open(t, f, options(t, f)))
	var b began
	s.get(t, "api/session", &b)
	places := s.examples(t, 6)
	decide := func(place int, label string) decided {
		t.Helper()
		var d decided
		s.post(t, "api/decide", map[string]any{"place": place, "id": places[place].ID, "label": label}, &d)
		return d
	}
	if d := decide(0, places[0].Given); d.Next != 1 || d.Progress.Decided != 1 || d.Progress.Changed != 0 {
		t.Errorf("%+v", d)
	}
	if d := decide(5, places[5].Suggested); d.Next != 6 || d.Progress.Changed != 1 || d.Progress.Goal != b.Progress.Goal {
		t.Errorf("%+v", d)
	}
	if d := decide(1, ""); d.Next != 2 || d.Progress.Skipped != 1 {
		t.Errorf("%+v", d)
	}
	third := b.Classes[slices.IndexFunc(b.Classes, func(c string) bool { return c != places[2].Given && c != places[2].Suggested })]
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
	if diff := cmp.Diff([]audit.Action{audit.Accept, audit.Suggested, audit.Skip, audit.Other, audit.Undo, audit.Other}, actions); err != nil || diff != "" {
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
		{"an address, where nobody else may connect", "GET", "api/session", "192.0.2.7:80", "", nil, 403},
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
	s.readTime = time.Millisecond
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

func TestFiles(t *testing.T) {
	f := images(t, 60)
	s := serve(t, open(t, f, options(t, f)))
	for path, want := range map[string]string{"": "text/html", "review.js": "text/javascript", "people.js": "text/javascript", "grid.js": "text/javascript", "list.js": "text/javascript", "review.css": "text/css"} {
		code, body, header := s.get(t, path, nil)
		if code != 200 || !strings.HasPrefix(header.Get("Content-Type"), want) || len(body) < 1000 {
			t.Errorf("%q: %d, %s, %d bytes", path, code, header.Get("Content-Type"), len(body))
		}
	}
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
		if _, err := Open(f, Options{}); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want bad data with %q", err, want)
		}
	}
}
