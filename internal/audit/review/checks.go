package review

import (
	"cmp"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
)

// checks begins or resumes random checks or an acceptance, and returns the rows to ask about in their order.
func (s *Session) checks(o Options) (rows []int, err error) {
	if a := o.Accept; a != nil {
		if s.accept, err = s.folder.Accept(s.log, a.Limit, a.Reject, a.Risk); err != nil {
			return nil, err
		}
		rows = s.accept.Order
		return rows[:min(cmp.Or(a.Checks, len(rows)), len(rows))], nil
	}
	if o.Random == 0 {
		return nil, nil
	}
	s.draw, err = s.judged.Draw(s.log, o.Random)
	for _, k := range s.draw.Distinct() {
		rows = append(rows, s.judged.Row(s.draw[k].ID))
	}
	return rows, err
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

// checked estimates the number of wrong labels by the decisions so far; the session is locked.
func (s *Session) checked() *RandomProgress {
	p := &RandomProgress{Asked: s.asked}
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
		s.lastCount = s.judged.Count(s.draw, decisions).Checked
	}
	if p.Count = s.lastCount; p.Count != nil {
		p.Verdict = p.Count.Verdict(len(s.issues))
	}
	return p
}

// Accept has the limits for accepting a set of labels.
type Accept struct {
	Limit, Reject, Risk float64 // as audit.Plan
	Checks              int     // most checks; 0 for as many as it takes
}

// AcceptProgress is where an acceptance stands.
type AcceptProgress struct {
	Verdict checking.Verdict `json:"verdict"`
	Checked int              `json:"checked"`
	Wrong   int              `json:"wrong"`
	Text    string           `json:"text"`     // a sentence
	Before  string           `json:"forecast"` // how many checks to expect; "" once the first is made
}

// acceptance is the progress by the decisions so far; the session is locked.
func (s *Session) acceptance() *AcceptProgress {
	test := s.accept.Test(s.tally.Verdicts())
	p := &AcceptProgress{Verdict: test.Verdict(), Text: s.accept.Plan.Sentence(test, len(s.issues))}
	if p.Checked, p.Wrong = test.Checked(); p.Checked == 0 {
		p.Before = s.accept.Plan.Forecast(test)
	}
	return p
}
