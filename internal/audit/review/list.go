package review

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/page"
	"github.com/losscorr/losscorr/internal/dataset"
)

// Filter chooses the examples of a list.
type Filter struct {
	// "undecided", "decided", "changed", "ambiguous", "none", "skipped", "others" (only by others) or "conflict"; "" all
	Show string
	Text string // in the name or the text, ignoring case; "" any

	Given, Suggested string  // both for one kind of mistake; "" any
	Low, High        float64 // of p_wrong; High 0 means 1
	Unusual          bool    // only examples that look like no class

	Sort string // one of sorts; "" for the order of asking
}

// sorts are the orders of a list. Among equal examples the worse one comes first.
var sorts = map[string]func(a, b audit.Issue) int{
	"":     nil,
	"rank": func(a, b audit.Issue) int { return cmp.Compare(a.Rank, b.Rank) },
	"p_wrong": func(a, b audit.Issue) int {
		return cmp.Or(cmp.Compare(a.PWrong, b.PWrong), cmp.Compare(b.Rank, a.Rank))
	},
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
	Decided   string  `json:"decided"`
	Label     string  `json:"label"`
	Text      string  `json:"text,omitempty"` // the beginning of a text, if requested
}

// List returns the number of examples that match a filter, and count of them starting at from.
func (r *Reviewer) List(ctx context.Context, f Filter, from, count int) (total int, lines []Line, err error) {
	var texts []string
	if f.Text = strings.ToLower(f.Text); f.Text != "" {
		if texts, err = r.contents(ctx); err != nil {
			return 0, nil, err
		}
	}
	if r.blind { // these would reveal the model's opinion
		f = Filter{Show: f.Show, Text: f.Text, Given: f.Given, Sort: f.Sort}
		if f.Sort == "rank" || f.Sort == "p_wrong" {
			f.Sort = ""
		}
	}
	places := r.sorted(f.Sort)
	r.mu.Lock()
	defer r.mu.Unlock()
	lines = []Line{}
	for _, place := range places {
		i := r.order[place]
		issue, last := r.issues[i], r.seen(i)
		if !f.shows(issue, last) || !f.takes(issue) || !f.finds(issue, texts) {
			continue
		}
		if total >= from && total-from < count {
			l := Line{place, issue.Row, issue.Rank, issue.ID, issue.Given, issue.Suggested, issue.PWrong, string(last.Action),
				last.Label, ""}
			if r.blind {
				l.Rank, l.Suggested, l.PWrong = 0, l.Given, 0
			}
			lines = append(lines, l)
		}
		total++
	}
	r.listed = r.listed[:0:0]
	for _, l := range lines {
		r.listed = append(r.listed, l.Row)
	}
	return total, lines, nil
}

// shows reports whether an example matches the filter by its decision.
func (f Filter) shows(issue audit.Issue, last audit.Decision) bool {
	switch f.Show {
	case "undecided":
		return last.Action == ""
	case "decided":
		return last.Decides()
	case "changed":
		return last.Decides() && last.Label != issue.Given
	case "ambiguous", "none", "others", "conflict":
		return string(last.Action) == f.Show
	case "skipped":
		return last.Action == audit.Skip
	}
	return true
}

// takes reports whether an example matches the filter by the audit's result.
func (f Filter) takes(issue audit.Issue) bool {
	switch {
	case f.Given != "" && issue.Given != f.Given,
		f.Suggested != "" && issue.Suggested != f.Suggested,
		f.Unusual && (issue.Unusual == nil || *issue.Unusual <= audit.VeryUnusual):
		return false
	case f.Low > 0 || f.High > 0:
		return issue.PWrong >= f.Low && (f.High == 0 || issue.PWrong <= f.High)
	}
	return true
}

// finds reports whether an example matches the filter by its name and text.
func (f Filter) finds(issue audit.Issue, texts []string) bool {
	return f.Text == "" || strings.Contains(strings.ToLower(issue.ID), f.Text) || texts != nil &&
		strings.Contains(texts[issue.Row], f.Text)
}

// mostTexts is the largest size of data for searching in texts, since they must be in memory.
const mostTexts = 1 << 30

// searchable reports whether texts can be searched, in addition to names.
func (s *Session) searchable() bool {
	size := int64(0)
	for _, f := range s.summary.Files {
		if info, err := os.Stat(f.Path); err == nil {
			size += info.Size()
		}
	}
	kind, err := s.summary.Source.Stored()
	return err == nil && kind == dataset.Text && s.summary.Source.Path != "" && size <= mostTexts
}

// contents returns the texts of all examples in lower case, by row, or nil if they have none.
func (s *Session) contents(ctx context.Context) ([]string, error) {
	s.searching.Lock()
	defer s.searching.Unlock()
	if s.texts != nil || !s.searchable() {
		return s.texts, nil
	}
	list, err := s.looks.load(ctx, s.looks.ids)
	if err != nil {
		return nil, fmt.Errorf("search the texts: %w", err)
	}
	texts := make([]string, len(list))
	for row, o := range list {
		texts[row] = strings.ToLower(o.Text)
	}
	s.texts = texts
	return texts, nil
}

// mostSnippet is the largest number of characters of a text in a tile of the grid.
const mostSnippet = 280

// AddTexts adds the beginnings of texts to lines, as far as they can be read.
func (s *Session) AddTexts(ctx context.Context, lines []Line) {
	rows := make([]int, len(lines))
	for k, l := range lines {
		rows[k] = l.Row
	}
	looks, _ := s.looks.get(ctx, rows, func(int) []int { return nil }) // opening an example shows why it cannot be read
	for k := range lines {
		text := []rune(looks[lines[k].Row].Text)
		if lines[k].Text = string(text[:min(len(text), mostSnippet)]); len(text) > mostSnippet {
			lines[k].Text += " …"
		}
	}
}

// Thumbnail returns a small picture of a row. It also loads the originals of the next rows in the last list.
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
