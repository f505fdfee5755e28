package review

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/audit/page"
)

// Filter says which examples a list holds.
type Filter struct {
	Show  string // "undecided", "decided", "changed", "ambiguous", "none", "skipped", "others" (by others alone) or "conflict"; "" all
	Class string // given or suggested; "" any
	Text  string // in the name, upper or lower case; "" any
	Sort  string // one of sorts; "" as they are asked
}

// sorts are the orders of a list. Where examples are equal, the worse one comes first.
var sorts = map[string]func(a, b audit.Issue) int{
	"":        nil,
	"rank":    func(a, b audit.Issue) int { return cmp.Compare(a.Rank, b.Rank) },
	"id":      func(a, b audit.Issue) int { return cmp.Compare(a.ID, b.ID) },
	"given":   func(a, b audit.Issue) int { return cmp.Or(cmp.Compare(a.Given, b.Given), cmp.Compare(a.Rank, b.Rank)) },
	"p_wrong": func(a, b audit.Issue) int { return cmp.Compare(b.Rank, a.Rank) }, // the surest first
}

// sorted returns the places of the order in one of sorts.
func (s *Session) sorted(by string) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if places := s.places[by]; places != nil {
		return places
	}
	places := make([]int, len(s.order))
	for place := range places {
		places[place] = place
	}
	if compare := sorts[by]; compare != nil {
		slices.SortStableFunc(places, func(a, b int) int { return compare(s.issues[s.order[a]], s.issues[s.order[b]]) })
	}
	if s.places == nil {
		s.places = make(map[string][]int)
	}
	s.places[by] = places
	return places
}

// Line is a line of a list.
type Line struct {
	Place     int     `json:"place"`
	Row       int     `json:"row"`
	Rank      int     `json:"rank"`
	ID        string  `json:"id"`
	Given     string  `json:"given"`
	Suggested string  `json:"suggested"`
	PWrong    float64 `json:"p_wrong"`
	Unjudged  bool    `json:"unjudged,omitempty"` // p_wrong says nothing
	Decided   string  `json:"decided"`
	Label     string  `json:"label"`
}

// List returns how many examples a filter takes, and count of them from the given one on.
func (r *Reviewer) List(f Filter, from, count int) (total int, lines []Line) {
	f.Text = strings.ToLower(f.Text)
	places := r.sorted(f.Sort)
	r.mu.Lock()
	defer r.mu.Unlock()
	lines = []Line{}
	for _, place := range places {
		i := r.order[place]
		issue, last := r.issues[i], r.seen(i)
		if !f.takes(issue, last) {
			continue
		}
		if total >= from && total-from < count {
			lines = append(lines, Line{place, issue.Row, issue.Rank, issue.ID, issue.Given, issue.Suggested, issue.PWrong, issue.Unjudged, string(last.Action), last.Label})
		}
		total++
	}
	r.listed = r.listed[:0:0]
	for _, l := range lines {
		r.listed = append(r.listed, l.Row)
	}
	return total, lines
}

func (f Filter) takes(issue audit.Issue, last audit.Decision) bool {
	switch f.Show {
	case "undecided":
		if last.Action != "" {
			return false
		}
	case "decided":
		if !last.Decides() {
			return false
		}
	case "changed":
		if !last.Decides() || last.Label == issue.Given {
			return false
		}
	case "ambiguous", "none", "others", "conflict":
		if string(last.Action) != f.Show {
			return false
		}
	case "skipped":
		if last.Action != audit.Skip {
			return false
		}
	}
	if f.Class != "" && issue.Given != f.Class && issue.Suggested != f.Class {
		return false
	}
	return f.Text == "" || strings.Contains(strings.ToLower(issue.ID), f.Text)
}

// Thumbnail returns a small picture of a row. With it the originals are loaded of the rows
// that come after it in the last list.
func (s *Session) Thumbnail(ctx context.Context, row int) (picture []byte, mime string, err error) {
	s.shrinking.Lock()
	defer s.shrinking.Unlock() // an original may have tens of millions of pixels
	looks, err := s.looks.get(ctx, []int{row}, func(count int) []int {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := max(0, slices.Index(s.listed, row))
		return slices.Clone(s.listed[at:min(len(s.listed), at+count)])
	})
	if err != nil {
		return nil, "", err
	}
	return page.Thumbnail(looks[row].Image)
}
