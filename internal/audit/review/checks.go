package review

import (
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
)

// random are the random checks of a session.
type random struct {
	judged *audit.Judged
	draw   audit.Draws
	rows   []int          // in the order of the checks
	last   *audit.Checked // the last count; nil if there is none
}

func newRandom(f *audit.Folder, log *audit.LogWriter, n int) (*random, error) {
	judged, err := f.Judged()
	if err != nil {
		return nil, err
	}
	draw, err := judged.Draw(log, n)
	if err != nil {
		return nil, err
	}
	r := &random{judged: judged, draw: draw}
	for _, k := range draw.Distinct() {
		r.rows = append(r.rows, judged.Row(draw[k].ID))
	}
	return r, nil
}

// RandomProgress is the progress of random checks, and their result so far.
type RandomProgress struct {
	Asked   int            `json:"asked"`
	Checked int            `json:"checked"` // or skipped
	Verdict string         `json:"verdict"`
	Count   *audit.Checked `json:"count"` // null until enough are checked
}

// large is the number of examples above which the count, which then takes a second, is made only every ten
// answers.
const large = 200_000

// progress estimates the number of wrong labels by the decisions so far; the session is locked.
func (r *random) progress(s *Session) *RandomProgress {
	p := &RandomProgress{Asked: len(r.rows)}
	decisions := map[string]audit.Decision{}
	for place := range s.asked {
		i := s.order[place]
		d := s.verdicts[i]
		if d.Action == "" || d.Action == audit.Conflict { // not an answer
			continue
		}
		decisions[s.issues[i].ID] = d
		p.Checked++
	}
	if len(s.issues) < large || p.Checked%10 == 0 || p.Checked == p.Asked {
		answers := r.judged.Answers(r.draw, decisions)
		count, checked := answers.Count()
		if checked != nil {
			checked.Rounds = answers.Shrinking(count)
		}
		r.last = checked
	}
	p.Count = r.last
	if p.Count != nil {
		p.Verdict = p.Count.Verdict(len(s.issues))
	}
	return p
}

// Accept has the limits for accepting a set of labels.
type Accept struct {
	Limit, Reject, Risk float64 // as audit.Plan
	Checks              int     // most checks; 0 for as many as it takes
}

// accept is the acceptance of a session.
type accept struct {
	*audit.Accepting
	checks int
}

func newAccept(f *audit.Folder, log *audit.LogWriter, o Accept) (*accept, error) {
	accepting, err := f.Accept(log, o.Limit, o.Reject, o.Risk)
	return &accept{accepting, o.Checks}, err
}

// asked returns the rows that may be asked.
func (a *accept) asked() []int {
	if a.checks > 0 {
		return a.Order[:min(a.checks, len(a.Order))]
	}
	return a.Order
}

// AcceptProgress is where an acceptance stands.
type AcceptProgress struct {
	Verdict checking.Verdict `json:"verdict"`
	Checked int              `json:"checked"`
	Wrong   int              `json:"wrong"`
	Text    string           `json:"text"`     // a sentence
	Before  string           `json:"forecast"` // how many checks to expect; "" once the first is made
}

// progress is the progress by the decisions so far; the session is locked.
func (a *accept) progress(s *Session) *AcceptProgress {
	test := a.Test(s.tally.Verdicts())
	p := &AcceptProgress{Verdict: test.Verdict(), Text: a.Plan.Sentence(test, len(s.issues))}
	if p.Checked, p.Wrong = test.Checked(); p.Checked == 0 {
		p.Before = a.Plan.Forecast(test)
	}
	return p
}
