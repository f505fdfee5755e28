package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/page"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Example is an example on the page.
type Example struct {
	Place     int      `json:"place"`
	Rank      int      `json:"rank"`
	ID        string   `json:"id"`
	Given     string   `json:"given"`
	Suggested string   `json:"suggested"`
	Runner    string   `json:"runner"`   // likeliest other class if Suggested is Given; else ""
	Chance    string   `json:"chance"`   // p_wrong in words
	Asked     string   `json:"asked"`    // number of the random check; "" if none
	Look      Look     `json:"look"`     //
	Missing   string   `json:"missing"`  // why Look is empty
	Replaced  string   `json:"replaced"` // a warning if Look is not what was audited; else ""
	Likely    []string `json:"likely"`   // classes, likeliest first
	Near      []Near   `json:"near"`     // of the given class, then of the suggested class
	// the reviewer's last action, or the verdict if reviewers disagree or have settled it
	Decided string `json:"decided"`
	Label   string `json:"label"` // the decided label
	Said    []Said `json:"said"`  // by all; empty until the reviewer and somebody else have decided
	Next    int    `json:"next"`  // place of the next example; -1 if all are decided
}

// Look is how the page shows an example.
type Look struct {
	Row   int    `json:"row"`
	Image bool   `json:"image"`
	Text  string `json:"text"`
}

// Near are examples of a class.
type Near struct {
	Class string `json:"class"`
	Looks []Look `json:"looks"`
}

const (
	nearCount = 4      // similar examples of each class
	mostText  = 20_000 // shown bytes of a text
)

// nearOf returns the classes to compare an example with: the given and the suggested one,
// or the second likeliest if they are the same.
func (s *Session) nearOf(issue audit.Issue, likely []string) []string {
	second := issue.Suggested
	if second == issue.Given {
		second = likely[slices.IndexFunc(likely, func(name string) bool { return name != issue.Given })]
	}
	return []string{issue.Given, second}
}

// rows returns the rows that the page shows for an issue: itself, then its neighbours by
// class.
func (s *Session) rows(issue audit.Issue, classes []string) (all []int, near [][]int) {
	all = []int{issue.Row}
	for _, class := range classes {
		rows := s.near.nearest(issue.Row, class, nearCount)
		near, all = append(near, rows), append(all, rows...)
	}
	return all, near
}

// ahead returns about count rows that come after a place.
func (r *Reviewer) ahead(place, count int) []int {
	r.mu.Lock()
	places := r.queue(place, count/(1+2*nearCount)+1)
	r.mu.Unlock()
	var all []int
	for _, next := range places {
		issue := r.issues[r.order[next]]
		rows, _ := r.rows(issue, r.nearOf(issue, r.near.likely(issue.Row)))
		if all = append(all, rows...); len(all) >= count {
			break
		}
	}
	return all
}

// Example returns the example at a place of the order, and keeps it for the reviewer.
func (r *Reviewer) Example(ctx context.Context, place int) Example {
	i := r.order[place]
	issue := r.issues[i]
	likely := r.near.likely(issue.Row)
	classes := r.nearOf(issue, likely)
	rows, near := r.rows(issue, classes)
	looks, err := r.looks.get(ctx, rows, func(count int) []int { return r.ahead(place, count) })

	r.mu.Lock()
	last, said, next := r.seen(i), r.said(i), r.next(place)
	r.reserve(place)
	r.mu.Unlock()
	e := Example{
		Place: place, Rank: issue.Rank, ID: issue.ID, Given: issue.Given, Suggested: issue.Suggested,
		Chance: page.Chance(issue.PWrong),
		Look:   newLook(issue.Row, looks[issue.Row]), Likely: likely[:min(len(likely), 12)], Next: next,
		Decided: string(last.Action), Label: last.Label, Said: said,
	}
	if issue.Suggested == issue.Given {
		e.Runner = classes[1]
	}
	if place < r.asked {
		e.Asked = fmt.Sprintf("Drawn at random: check %d of %d.", place+1, r.asked)
	}
	if !e.Look.Image && e.Look.Text == "" {
		e.Missing = r.none
		if err != nil {
			e.Missing = "This example cannot be read: " + err.Error()
		}
	}
	if sum, sums := looks[issue.Row].Sum, r.judged.Sums; sums != nil && sums[issue.Row] != 0 && sum != 0 &&
		sum != sums[issue.Row] {
		e.Replaced = "This example was replaced after the audit, so the audit judged another one. Audit again before you " +
			"rely on its suggestion."
	}
	for k, class := range classes {
		n := Near{Class: class, Looks: []Look{}}
		for _, row := range near[k] {
			if look := newLook(row, looks[row]); look.Image || look.Text != "" {
				n.Looks = append(n.Looks, look)
			}
		}
		e.Near = append(e.Near, n)
	}
	if r.blind {
		e.Rank, e.Suggested, e.Runner, e.Chance, e.Likely, e.Near = 0, e.Given, "", "", []string{}, []Near{}
	}
	return e
}

func newLook(row int, o own.Original) Look {
	text := o.Text
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + " …"
	}
	return Look{Row: row, Image: len(o.Image) > 0, Text: text}
}
