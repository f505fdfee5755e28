package review

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// options returns the options for a folder of audittest, with its originals.
func options(t *testing.T, f *audit.Folder) Options {
	t.Helper()
	return Options{Originals: expect.Got(audittest.Originals(f))(t)}
}

// open opens a session until the test ends or shuts it.
func open(t *testing.T, f *audit.Folder, o Options) *Session {
	t.Helper()
	s := expect.Got(Open(f, o))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// opened is a review of n images by one person.
func opened(t *testing.T, n int) (*audit.Folder, *Session) {
	t.Helper()
	f := images(t, n)
	return f, open(t, f, options(t, f))
}

func shut(t *testing.T, s *Session) {
	t.Helper()
	expect.OK(t, s.Close())
}

func images(t *testing.T, n int) *audit.Folder {
	t.Helper()
	return expect.Got(audittest.Images(t.TempDir(), n))(t)
}

// site is a served session.
type site struct {
	*Session
	server *httptest.Server
}

func serve(t *testing.T, s *Session) site {
	t.Helper()
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return site{s, server}
}

// served serves a review of n images.
func served(t *testing.T, n int) (*audit.Folder, site) {
	t.Helper()
	f, s := opened(t, n)
	return f, serve(t, s)
}

func (s site) url(path string) string { return s.server.URL + s.base() + path }

// get reads JSON, or a text if into is nil.
func (s site) get(t *testing.T, path string, into any) (int, string, http.Header) {
	t.Helper()
	return receive(t, expect.Got(http.Get(s.url(path)))(t), into)
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
	body := expect.Got(json.Marshal(what))(t)
	request := expect.Got(http.NewRequest(http.MethodPost, s.url(path), bytes.NewReader(body)))(t)
	request.Header.Set("Origin", s.server.URL)
	code, text, _ := receive(t, expect.Got(http.DefaultClient.Do(request))(t), into)
	return code, text
}

type decided struct {
	Progress Progress
	Next     int
	Place    int
}

// began is the server's first answer to the page.
type began struct {
	Classes  []string
	Examples int
	Next     int
	Progress Progress
}

// The worst examples come first.
func TestReview(t *testing.T) {
	f, s := served(t, 400)
	var b began
	s.get(t, "api/session", &b)
	if b.Examples != 400 || len(b.Classes) != 5 || b.Next != 0 || b.Progress.Goal != s.summary.Flagged {
		t.Fatalf("%+v", b)
	}
	places := s.examples(t, 7)
	for place, e := range places {
		if e.Rank != place+1 || e.Asked != "" || e.Near[0].Class != e.Given || len(e.Near[0].Looks) != nearCount ||
			!e.Look.Image || e.Missing != "" {
			t.Errorf("place %d: %+v", place, e)
		}
	}
	code, picture, header := s.get(t, fmt.Sprintf("api/image?row=%d", places[0].Look.Row), nil)
	want := expect.Got(os.ReadFile(f.Path("..", "shapes", places[0].ID)))(t)
	if code != 200 || picture != string(want) || header.Get("Content-Type") != "image/png" {
		t.Errorf("image: %d %s, %d bytes, want %d", code, header.Get("Content-Type"), len(picture), len(want))
	}
}

// examples gets the examples at the first places.
func (s site) examples(t *testing.T, n int) []Example {
	t.Helper()
	places := make([]Example, n)
	for place := range places {
		s.get(t, fmt.Sprintf("api/example?place=%d", place), &places[place])
	}
	return places
}

// Other sites and hosts can neither read nor change anything. Requests that the page cannot send are
// errors.
func TestRefuses(t *testing.T) {
	f, s := served(t, 60)
	first := s.issues[s.order[0]]
	good := map[string]any{"place": 0, "id": first.ID, "label": first.Given}
	for _, tt := range []struct {
		name, method, path, host, origin string
		body                             any
		want                             int
	}{
		{"an address, where nobody else may connect", "GET", "api/session", "192.0.2.7:80", "", nil, 403},
		{"another host name", "GET", "api/session", "evil.example:80", "", nil, 403},
		{"another site", "POST", "api/decide", "", "http://evil.example", good, 403},
		{"no origin", "POST", "api/decide", "", "", good, 403},
		{"a change by GET", "GET", "api/undo", "", "", nil, 405},
		{"no secret", "GET", "../api/session", "", "", nil, 404},
		{"no place", "GET", "api/example?place=x", "", "", nil, 400},
		{"no such row of the list", "GET", "api/thumbnail?row=60", "", "", nil, 400},
		{"an unknown order", "GET", "api/list?from=0&count=1&sort=size", "", "", nil, 400},
		{"no percentage", "GET", "api/list?from=0&count=1&low=x", "", "", nil, 400},
		{"too many lines", "GET", "api/list?from=0&count=501", "", "", nil, 400},
		{"another audit's page", "POST", "api/decide", "", "same", map[string]any{"place": 0, "id": "x", "label": "circle"},
			409},
		{"no such class", "POST", "api/decide", "", "same", map[string]any{"place": 0, "id": first.ID, "label": "cow"}, 400},
		{"a huge body", "POST", "api/decide", "", "same", map[string]any{"id": strings.Repeat("x", 70<<10)}, 400},
		{"a tunnel", "GET", "api/session", "localhost:9000", "", nil, 200},
		{"the page", "POST", "api/decide", "", "same", good, 200},
	} {
		body := expect.Got(json.Marshal(tt.body))(t)
		address := s.url(tt.path)
		if path, up := strings.CutPrefix(tt.path, "../"); up {
			address = s.server.URL + "/" + path
		}
		request := expect.Got(http.NewRequest(tt.method, address, bytes.NewReader(body)))(t)
		request.Host = cmp.Or(tt.host, request.Host)
		if tt.origin == "same" {
			tt.origin = s.server.URL
		}
		if tt.origin != "" {
			request.Header.Set("Origin", tt.origin)
		}
		answer := expect.Got(http.DefaultClient.Do(request))(t)
		_ = answer.Body.Close()
		if answer.StatusCode != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, answer.StatusCode, tt.want)
		}
		if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", tt.name, csp)
		}
	}
	if got := expect.Got(f.Said(own.Source{}))(t); len(got) != 1 {
		t.Errorf("%d decisions, want the page's", len(got))
	}
}

// Files of an audit that do not fit together are bad data.
func TestFilesThatDoNotFit(t *testing.T) {
	for want, damage := range map[string]func(*audit.Folder) error{
		"180 probabilities for 60 examples of 5 classes": func(f *audit.Folder) error {
			return f.WriteProbabilities(make([]float32, 180), 3)
		},
		"295 probabilities for 60": func(f *audit.Folder) error {
			return f.WriteProbabilities(make([]float32, 59*5), 5)
		},
		"has a class that is missing in summary.json": func(f *audit.Folder) error {
			issues, err := f.Issues()
			if err == nil {
				issues[3].Given = "cow"
				err = f.WriteIssues(issues)
			}
			return err
		},
		"59 hashes for 60 examples": func(f *audit.Folder) error { return f.WriteSums(make([]uint64, 59)) },
		"no probabilities.npy":      func(f *audit.Folder) error { return os.Remove(f.Path(audit.ProbabilitiesFile)) },
		"decisions.jsonl: line 1": func(f *audit.Folder) error {
			return os.WriteFile(f.Path(audit.DecisionsFile), []byte("x\n"), 0o666)
		},
	} {
		f := images(t, 60)
		expect.OK(t, damage(f))
		expect.Fails(t, expect.Err(Open(f, Options{})), want, dataset.ErrData)
	}
}

// The methods for one reviewer without a name.

func (s *Session) alone() *Reviewer {
	r, err := s.Reviewer("")
	if err != nil {
		panic(err)
	}
	return r
}

func (s *Session) Undo() (int, error)        { return s.alone().Undo() }
func (s *Session) Next(after int) int        { return s.alone().Next(after) }
func (s *Session) last(i int) audit.Decision { return s.alone().last(i) }

func (s *Session) Example(ctx context.Context, place int) Example {
	return s.alone().Example(ctx, place)
}

func (s *Session) List(f Filter, from, count int) (int, []Line) {
	total, lines, err := s.alone().List(context.Background(), f, from, count)
	if err != nil {
		panic(err)
	}
	return total, lines
}

// No other label is suggested if the given one is likely right, but the likeliest other class can be chosen.
func TestRunnerUp(t *testing.T) {
	f, s := opened(t, 100)
	issues, err := f.Issues()
	if err != nil || issues[0].PWrong <= judging.LikelyWrong || issues[99].PWrong > judging.LikelyWrong {
		t.Fatal(issues[0], issues[99], err)
	}
	for place, i := range s.order {
		suggested, runner := issues[i].Suggested, ""
		if issues[i].PWrong <= judging.LikelyWrong {
			suggested = issues[i].Given
			runner = slices.DeleteFunc(s.near.likely(issues[i].Row), func(c string) bool { return c == suggested })[0]
		}
		if e := s.Example(t.Context(), place); e.Runner != runner || e.Suggested != suggested {
			t.Errorf("%+v, want %q and the runner-up %q", e, suggested, runner)
		}
	}
}

// An unreadable example is reported, and does not stop the review.
func TestUnreadable(t *testing.T) {
	f := images(t, 100)
	o := options(t, f)
	good, broken := o.Originals, ""
	calls := 0
	o.Originals = func(ctx context.Context, ids []string) ([]own.Original, error) {
		calls++
		if slices.Contains(ids, broken) {
			return nil, errors.New("the file is cut off")
		}
		return good(ctx, ids)
	}
	s := open(t, f, o)
	broken = s.issues[s.order[0]].ID
	e := s.Example(t.Context(), 0)
	if e.Missing != "This example cannot be read: the file is cut off" || len(e.Near[0].Looks) == 0 {
		t.Errorf("%+v", e)
	}
	broken, calls = "", 0
	if e := s.Example(t.Context(), 0); !e.Look.Image || calls != 1 {
		t.Errorf("%d calls: %+v", calls, e)
	}
	if e := s.Example(t.Context(), 1); !e.Look.Image || calls != 1 {
		t.Errorf("%d calls for what was loaded ahead: %+v", calls, e.Look)
	}
}

// An example that has changed since the audit is reported as replaced.
func TestReplaced(t *testing.T) {
	f := images(t, 60)
	expect.OK(t, f.WriteSums(slices.Repeat([]uint64{7}, 60)))
	o := options(t, f)
	good, sum := o.Originals, uint64(7)
	o.Originals = func(ctx context.Context, ids []string) ([]own.Original, error) {
		list, err := good(ctx, ids)
		for k := range list {
			list[k].Sum = sum
		}
		return list, err
	}
	for _, now := range []uint64{7, 8, 0} { // 0 is unknown
		sum = now
		s := open(t, f, o)
		if e := s.Example(t.Context(), 0); (e.Replaced != "") != (now == 8) {
			t.Errorf("%d: %q", now, e.Replaced)
		}
		shut(t, s)
	}
}

// The cache of originals stays within a number of bytes.
func TestLooksAreBounded(t *testing.T) {
	issues := make([]audit.Issue, 200)
	for row := range issues {
		issues[row].Row = row
	}
	l := newLooks(issues, func(_ context.Context, ids []string) ([]own.Original, error) {
		out := make([]own.Original, len(ids))
		for k := range out {
			out[k].Image = make([]byte, 1<<20)
		}
		return out, nil
	})
	for row := range issues {
		if got, err := l.get(t.Context(), []int{row}, func(int) []int {
			return nil
		}); err != nil || len(got[row].Image) != 1<<20 {
			t.Fatalf("row %d: %v", row, err)
		}
	}
	if l.bytes > keptBytes || len(l.kept) != len(l.rows) || len(l.kept) != keptBytes>>20 {
		t.Errorf("%d bytes of %d, %d", l.bytes, len(l.kept), len(l.rows))
	}
}
