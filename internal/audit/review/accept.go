package review

import (
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
)

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
