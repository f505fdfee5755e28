package review

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/audit"
)

// Reviewer is a person who decides about labels. Reviewers see others' decisions about an example only after their
// own, and never replace them.
type Reviewer struct {
	*Session
	name     string
	history  []step        // what was saved in this session, oldest first
	shown    []reservation // the last places sent to the page
	answered time.Time     // when the last answer was saved
}

// step is the decisions that one undo takes back.
type step struct {
	issues  []int
	settles bool             // they settle conflicts
	before  []audit.Decision // the reviewer's earlier decisions, by issue; without an Action if there was none
}

const longestName = 60 // characters of a reviewer's name

// errName is returned to a page that does not send a reviewer's name.
var errName = errors.New("the page has sent no reviewer's name: reload it and enter your name")

// Reviewer returns the reviewer with a name, ignoring case. If the session does not ask for names, all are the same.
func (s *Session) Reviewer(name string) (*Reviewer, error) {
	if !s.ask {
		name = s.fixed
	} else if name = Name(name); name == "" {
		return nil, errName
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ask {
		for _, r := range s.people {
			if strings.EqualFold(r.name, name) {
				return r, nil
			}
		}
	}
	return s.person(name), nil
}

// names returns the names of all reviewers so far.
func (s *Session) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []string{}
	for _, r := range s.people {
		if r.name != "" {
			out = append(out, r.name)
		}
	}
	slices.Sort(out)
	return out
}

// Name returns a reviewer's name as stored in decisions, or "" if it is too long or has unprintable characters.
func Name(text string) string {
	name := norm.NFC.String(strings.Join(strings.Fields(text), " "))
	if len([]rune(name)) > longestName || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsPrint(r)
	}) || name == audit.NoName {
		return ""
	}
	return name
}

// person returns the reviewer with exactly this name.
func (s *Session) person(name string) *Reviewer {
	for _, r := range s.people {
		if r.name == name {
			return r
		}
	}
	r := &Reviewer{Session: s, name: name}
	s.people = append(s.people, r)
	return r
}

// restore takes over earlier decisions. Decisions about removed examples or changed labels stay in the file without
// effect.
func (s *Session) restore(decisions []audit.Decision) {
	index := make(map[string]int, len(s.issues))
	for i, issue := range s.issues {
		index[issue.ID] = i
	}
	s.people = nil
	for _, d := range decisions {
		if _, ok := index[d.ID]; ok {
			s.person(d.Reviewer)
		}
	}
	s.tally = audit.TallyOf(decisions).Now(func(id string) (string, bool) {
		i, ok := index[id]
		if !ok {
			return "", false
		}
		return s.issues[i].Given, true
	})
	s.verdicts, s.decidedBy = make([]audit.Decision, len(s.issues)), make([]uint8, len(s.issues))
	for id := range s.tally {
		s.judge(index[id])
	}
}

// decided returns the reviewer's present decision about an issue, or settlement of the conflict about it. Before the
// first one its Action is empty.
func (r *Reviewer) decided(i int, settles bool) audit.Decision {
	for _, x := range r.tally[r.issues[i].ID] {
		if x.Reviewer == r.name && x.Settles() == settles {
			return x.Decision
		}
	}
	return audit.Decision{}
}

// last returns the reviewer's present decision about an issue.
func (r *Reviewer) last(i int) audit.Decision { return r.decided(i, false) }

// errStale is returned to a page of another audit, errAgreed to a page whose conflict is gone.
var (
	errStale  = errors.New("the page is out of date: reload it")
	errAgreed = errors.New("the reviewers no longer disagree about this label: reload the page")
)

// Choice is a decision about the example at a place: a label, which may be the given one, or one of the actions
// audit.Ambiguous, audit.None and audit.Skip. Without either it is audit.Skip.
type Choice struct {
	Place  int          `json:"place"`
	ID     string       `json:"id"`
	Label  string       `json:"label"`
	Action audit.Action `json:"action"`
}

// Decide saves choices, all or none. One undo takes back all of them.
func (r *Reviewer) Decide(choices ...Choice) error { return r.save(false, choices) }

// decision returns the decision of a choice, and its issue.
func (r *Reviewer) decision(c Choice) (d audit.Decision, i int, err error) {
	if c.Place < 0 || c.Place >= len(r.order) || r.issues[r.order[c.Place]].ID != c.ID {
		return d, 0, errStale
	}
	i = r.order[c.Place]
	issue := r.issues[i]
	d = audit.Decision{ID: issue.ID, Given: issue.Given, Label: c.Label, Action: audit.Other, Time: audit.Now(),
		Reviewer: r.name}
	switch {
	case c.Action != "":
		if !slices.Contains([]audit.Action{audit.Ambiguous, audit.None, audit.Skip}, c.Action) {
			return d, 0, fmt.Errorf("%q is not a decision without a label", c.Action)
		}
		d.Label, d.Action = "", c.Action
	case c.Label == "":
		d.Action = audit.Skip
	case c.Label == issue.Given:
		d.Action = audit.Accept
	case c.Label == issue.Suggested:
		d.Action = audit.Suggested
	case !slices.Contains(r.classes, c.Label):
		return d, 0, fmt.Errorf("unknown class %q", c.Label)
	}
	return d, i, nil
}

// save saves choices. If settles is set, they settle the conflicts about their examples.
func (r *Reviewer) save(settles bool, choices []Choice) error {
	if len(choices) == 0 {
		return errors.New("the page has sent no decision")
	}
	var lines []audit.Decision
	var issues []int
	for _, c := range choices {
		d, i, err := r.decision(c)
		if err != nil {
			return err
		}
		if settles && d.Action == audit.Skip {
			return errors.New("a conflict cannot be settled by skipping")
		}
		lines, issues = append(lines, d), append(issues, i)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if v := r.verdicts[issues[0]]; settles && v.Action != audit.Conflict && !v.Settles() {
		return errAgreed
	}
	for k, c := range choices {
		lines[k].Why = r.why(c.Place, settles)
	}
	if len(lines) == 1 {
		lines[0].Seconds = r.took(choices[0].Place)
	}
	if err := r.log.Append(lines...); err != nil {
		return err
	}
	about := step{issues: issues, settles: settles}
	for _, i := range issues {
		about.before = append(about.before, r.decided(i, settles))
	}
	r.history = append(r.history, about)
	r.count(lines, issues)
	r.shown = slices.DeleteFunc(r.shown, func(x reservation) bool { return slices.Contains(issues, r.order[x.place]) })
	r.answered = time.Now()
	return nil
}

// why returns why the reviewer is asked about a place.
func (r *Reviewer) why(place int, settles bool) audit.Why {
	switch {
	case settles:
		return audit.Settlement
	case place < r.asked:
		return audit.AtRandom
	case r.wanted(r.order[place]):
		return audit.Second
	}
	return audit.Doubtful
}

// took returns how many seconds the reviewer has looked at a place: since the page got it or, since the page loads
// the next example ahead, since the last answer if that is later. It is 0 if unknown.
func (r *Reviewer) took(place int) float64 {
	at := slices.IndexFunc(r.shown, func(x reservation) bool { return x.place == place })
	if at < 0 {
		return 0
	}
	from := r.shown[at].from
	if r.answered.After(from) {
		from = r.answered
	}
	return math.Round(10*time.Since(from).Seconds()) / 10
}

// Undo takes back the reviewer's last decision in this session, and returns the example's place, or -1 if there is
// none. If there was an earlier decision about the example, it counts again: Undo writes it after the line of the
// undo.
func (r *Reviewer) Undo() (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.history) == 0 {
		return -1, nil
	}
	last := r.history[len(r.history)-1]
	var lines []audit.Decision
	var issues []int
	for k, i := range last.issues {
		undo := audit.Decision{ID: r.issues[i].ID, Given: r.issues[i].Given, Action: audit.Undo, Time: audit.Now(),
			Reviewer: r.name}
		if last.settles {
			undo.Why = audit.Settlement
		}
		lines, issues = append(lines, undo), append(issues, i)
		if before := last.before[k]; before.Action != "" {
			before.Time = audit.Now()
			lines, issues = append(lines, before), append(issues, i)
		}
	}
	if err := r.log.Append(lines...); err != nil {
		return -1, err
	}
	r.history = r.history[:len(r.history)-1]
	r.count(lines, issues)
	return slices.Index(r.order, last.issues[0]), nil
}
