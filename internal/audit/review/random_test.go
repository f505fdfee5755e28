package review

import (
	"cmp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A review of random checks asks for the drawn examples in their order and ends with them, gives
// a count after ten answers, and resumes.
func TestRandomReview(t *testing.T) {
	f := images(t, 400)
	o := options(t, f)
	o.Random = 30
	s := open(t, f, o)
	draw := s.draw
	for k, check := range draw.Distinct() {
		c, place := draw[check], s.Next(k-1)
		e := s.Example(t.Context(), place)
		if place != k || e.ID != c.ID || !strings.HasPrefix(e.Asked, "Drawn at random: check ") || e.Chance == "" {
			t.Fatalf("check %d is %q at place %d, want %q; %q", k, e.ID, place, c.ID, e.Asked)
		}
		label := e.Given
		if k%3 == 0 {
			label = cmp.Or(e.Runner, e.Suggested)
		}
		s.alone().choose(t, place, label)
		if p := s.Progress().Random; p == nil || p.Checked != k+1 || (p.Count != nil) != (k+1 >= 10) {
			t.Fatalf("after %d answers: %+v", k+1, p)
		}
	}
	p := s.Progress().Random
	if s.Next(-1) != -1 || p.Checked != 30 || p.Count.Changed != 10 || p.Count.Right != 20 ||
		!strings.Contains(p.Verdict, " of 400 labels are wrong, between ") {
		t.Errorf("next %d, %+v, %q", s.Next(-1), p.Count, p.Verdict)
	}
	if r := p.Count.Rounds; len(r) < 3 || r[len(r)-1].Checked != 30 || r[0].Checked >= r[1].Checked {
		t.Errorf("rounds %+v", r)
	}
	shut(t, s)
	o.Random = 40
	s = open(t, f, o)
	if again := s.Progress().Random; again.Checked != 30 || again.Asked != 40 || again.Count.Checked != 30 ||
		s.Next(-1) != 30 {
		t.Errorf("resumed: %+v, next %d", again, s.Next(-1))
	}
}

// Examples with an answer from a spreadsheet are not asked again.
func TestRandomAfterSheet(t *testing.T) {
	f := images(t, 200)
	for _, c := range audittest.Draw(t, f, 20)[:12] {
		audittest.Decide(t, f, audit.Decision{ID: c.ID, Given: c.Given, Action: audit.None, Time: audittest.Moment,
			Why: audit.InFile, From: "sheet.csv"})
	}
	o := options(t, f)
	o.Random = 20
	s := open(t, f, o)
	if p := s.Progress().Random; p.Checked != 12 || p.Count == nil || p.Count.None != 12 || s.Next(-1) != 12 {
		t.Errorf("%+v, next %d", p, s.Next(-1))
	}
	shut(t, s)
	o.Random = 0 // the other review has the answers as well
	expect.Same(t, 12, open(t, f, o).Progress().None)
}
