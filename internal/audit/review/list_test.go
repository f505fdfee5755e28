package review

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

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
