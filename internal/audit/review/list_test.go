package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// The list has small pictures of all formats, and loads the next ones along with each.
func TestThumbnails(t *testing.T) {
	f := images(t, 60)
	o := options(t, f)
	good, calls := o.Originals, 0
	o.Originals = func(ctx context.Context, ids []string) ([]own.Original, error) {
		calls++
		return good(ctx, ids)
	}
	s := serve(t, open(t, f, o))
	for _, l := range s.list(t, "from=0&count=20&sort=p_wrong").Lines {
		code, body, header := s.get(t, fmt.Sprintf("api/thumbnail?row=%d", l.Row), nil)
		small, _, err := image.Decode(strings.NewReader(body))
		if code != 200 || err != nil || max(small.Bounds().Dx(), small.Bounds().Dy()) > 160 ||
			!strings.HasPrefix(header.Get("Content-Type"), "image/") {
			t.Fatalf("row %d: %d, %v", l.Row, code, err)
		}
	}
	expect.Same(t, 1, calls)
	var begun struct{ Images bool }
	if s.get(t, "api/session", &begun); !begun.Images {
		t.Error("the page does not know that there are images")
	}
}

// listed is the server's answer for a part of the list.
type listed struct {
	Total int
	Lines []Line
}

func (s site) list(t *testing.T, query string) (l listed) {
	t.Helper()
	s.get(t, "api/list?"+query, &l)
	return l
}

// The list is in the requested order, in parts, with the place of each line.
func TestList(t *testing.T) {
	_, s := served(t, 400)
	all := s.list(t, "from=0&count=10")
	if all.Total != 400 || len(all.Lines) != 10 || all.Lines[3].Place != 3 {
		t.Errorf("%+v", all)
	}
	expect.Same(t, all.Lines[7:], s.list(t, "from=7&count=3").Lines)
	for by, less := range map[string]func(a, b Line) int{
		"rank":    func(a, b Line) int { return cmp.Compare(a.Rank, b.Rank) },
		"p_wrong": func(a, b Line) int { return cmp.Or(cmp.Compare(a.PWrong, b.PWrong), cmp.Compare(b.Rank, a.Rank)) },
	} {
		got := s.list(t, "from=0&count=400&sort="+by)
		if got.Total != 400 || !slices.IsSortedFunc(got.Lines, less) || by != "rank" && slices.IsSortedFunc(all.Lines, less) {
			t.Errorf("by %s: %d, sorted %v", by, got.Total, slices.IsSortedFunc(got.Lines, less))
		}
		if part := s.list(t, "from=100&count=50&given=cross&sort="+by); !slices.IsSortedFunc(part.Lines, less) {
			t.Errorf("a part by %s is not sorted", by)
		}
		for _, l := range got.Lines[:5] {
			if want := s.issues[s.order[l.Place]]; l.ID != want.ID || l.Row != want.Row {
				t.Errorf("by %s: %+v is at the place of %+v", by, l, want)
			}
		}
	}
	expect.Same(t, 5, len(s.list(t, "from=395&count=10").Lines)) // the end
}

// Filters by class, by kind of mistake, by p_wrong and by unusual agree with issues.csv.
func TestFilters(t *testing.T) {
	_, s := served(t, 400)
	high, low := audit.VeryUnusual+.1, audit.VeryUnusual-.1
	s.issues[3].Unusual, s.issues[5].Unusual, s.issues[7].Unusual = &high, &low, &high
	for query, takes := range map[string]func(i audit.Issue) bool{
		"":                func(audit.Issue) bool { return true },
		"given=cross":     func(i audit.Issue) bool { return i.Given == "cross" },
		"suggested=cross": func(i audit.Issue) bool { return i.Suggested == "cross" },
		"given=" + s.issues[0].Given + "&suggested=" + s.issues[0].Suggested: func(i audit.Issue) bool {
			return i.Given == s.issues[0].Given && i.Suggested == s.issues[0].Suggested
		},
		"low=90":                 func(i audit.Issue) bool { return i.PWrong >= .9 },
		"high=10":                func(i audit.Issue) bool { return i.PWrong <= .1 },
		"low=2.5&high=50":        func(i audit.Issue) bool { return i.PWrong >= .025 && i.PWrong <= .5 },
		"unusual=1":              func(i audit.Issue) bool { return i.Unusual == &high },
		"unusual=1&low=50&text=": func(i audit.Issue) bool { return i.Unusual == &high && i.PWrong >= .5 },
	} {
		want := 0
		for _, i := range s.issues {
			if takes(i) {
				want++
			}
		}
		got := s.list(t, "from=0&count=400&"+query)
		if got.Total != want || want == 0 || query != "" && want == 400 || slices.ContainsFunc(got.Lines, func(l Line) bool {
			return !takes(s.issues[s.order[l.Place]])
		}) {
			t.Errorf("%q: %d, want %d", query, got.Total, want)
		}
	}
}

// Texts are searched, and each is loaded once. Lines have their beginnings if requested.
func TestTextSearch(t *testing.T) {
	f := expect.Got(audittest.Texts(t.TempDir(), 200))(t)
	o := options(t, f)
	good, calls := o.Originals, 0
	var failed error
	o.Originals = func(ctx context.Context, ids []string) ([]own.Original, error) {
		calls++
		list, err := good(ctx, ids)
		for k := range list {
			list[k].Text += " Żółw" + strings.Repeat("x", 300)
			if ids[k] == "review-000007" {
				list[k].Text = "A NEEDLE"
			}
		}
		return list, errors.Join(err, failed)
	}
	s := serve(t, open(t, f, o))
	failed = errors.New("the disk is away")
	code, text, _ := s.get(t, "api/list?from=0&count=1&text=needle", nil)
	if code != http.StatusBadRequest || !strings.Contains(text, "the disk is away") {
		t.Errorf("%d %s", code, text)
	}
	failed, calls = nil, 0
	for text, want := range map[string]int{"needle": 1, "żółw": 199, "REVIEW-00000": 10, "nowhere": 0} {
		if got := s.list(t, "from=0&count=1&text="+url.QueryEscape(text)); got.Total != want {
			t.Errorf("%q: %d, want %d", text, got.Total, want)
		}
	}
	expect.Same(t, 1, calls)
	if l := s.list(t, "from=0&count=1&texts=1&text=needle").Lines[0]; l.Text != "A NEEDLE" || l.ID != "review-000007" {
		t.Errorf("%+v", l)
	}
	if l := s.list(t, "from=0&count=1&texts=1&sort=p_wrong").Lines[0]; len([]rune(l.Text)) != mostSnippet+2 ||
		!strings.HasSuffix(l.Text, "x …") {
		t.Errorf("%+v", l)
	}
}

// A blind review shows only the given label, and no order or filter of the list reveals the model's opinion.
func TestBlind(t *testing.T) {
	f := images(t, 200)
	o := options(t, f)
	o.Random, o.Blind = 20, true
	s := serve(t, open(t, f, o))
	all := s.list(t, "from=0&count=200")
	for _, query := range []string{"", "sort=rank", "sort=p_wrong", "low=90", "high=1", "suggested=cross", "unusual=1"} {
		got := s.list(t, "from=0&count=200&"+query)
		if got.Total != 200 || got.Lines[50].ID != all.Lines[50].ID {
			t.Errorf("%q: %d", query, got.Total)
		}
	}
	for place := range 20 {
		e := s.Example(t.Context(), place)
		if e.Suggested != e.Given || e.Runner != "" || e.Chance != "" || len(e.Likely)+len(e.Near) > 0 || e.Rank != 0 {
			t.Fatalf("%+v", e)
		}
		if !e.Look.Image {
			t.Errorf("%s is not shown", e.ID)
		}
	}
	for _, l := range all.Lines {
		if l.Rank != 0 || l.Suggested != l.Given || l.PWrong != 0 {
			t.Fatalf("%+v", l)
		}
	}
	of := s.list(t, "from=0&count=200&given=cross").Lines
	if slices.ContainsFunc(of, func(l Line) bool { return l.Given != "cross" }) || len(of) == 0 {
		t.Errorf("%d of class cross", len(of))
	}
}
