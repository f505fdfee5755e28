package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// Options says how a session works. The zero value is a good one.
type Options struct {
	// Originals returns examples as people see them, by their names; nil:
	// own.Source.Originals of the audit's source.
	Originals Originals

	// Random is the number of labels to check at random, to count the wrong ones by
	// (audit.Judged.Draw); 0: the most telling labels are asked for first, then the worst.
	Random int

	// Blind shows what is given alone: no suggestion, no probability and no similar examples.
	Blind bool
}

// Originals returns examples as people see them, by their names, as
// [own.Source.Originals] does.
type Originals func(ctx context.Context, ids []string) ([]own.Original, error)

// Posteriors are probabilities.npy: those of row r are Values[r*Classes:][:Classes].
type Posteriors struct {
	Values  []float32
	Classes int
}

// Row returns the posterior of a row.
func (p Posteriors) Row(r int) []float32 { return p.Values[r*p.Classes:][:p.Classes] }

// Session is a review of an audit's folder. Its methods may be called from several
// goroutines.
type Session struct {
	dir        string
	summary    audit.Summary
	classes    []string
	issues     []audit.Issue // the worst first
	posteriors Posteriors
	sums       []uint64 // of the examples when they were audited, by row; nil where they are not known
	order      []int    // of issues, as they are asked
	asked      int      // so many of them are asked for out of rank
	random     *random  // nil of a review of the most telling labels
	blind      bool
	near       *neighbours
	looks      *looks
	none       string // says why an example cannot be seen that could be read
	secret     string // part of the address

	mu      sync.Mutex
	log     *audit.DecisionLog
	made    [][]audit.Decision // by issue: its decisions that are not undone, of which the last holds
	history []int              // the issues of all of them, the oldest first
	places  map[string][]int   // by sort
	listed  []int              // rows of the last list

	shrinking sync.Mutex // one thumbnail at a time
}

// Open begins or resumes the review of a folder, whose decisions.csv it locks.
func Open(f *audit.Folder, o Options) (*Session, error) {
	s := &Session{dir: f.Dir(), secret: newSecret(), blind: o.Blind}
	var err error
	if s.summary, err = f.Summary(); err != nil {
		return nil, err
	}
	if s.issues, err = f.Issues(); err != nil {
		return nil, err
	}
	if s.posteriors.Values, s.posteriors.Classes, err = f.Probabilities(); err != nil {
		return nil, err
	}
	if s.sums, err = f.Sums(); err != nil {
		return nil, err
	}
	s.classes = s.summary.ClassNames()
	if err := s.check(); err != nil {
		return nil, dataset.Errorf("%s: %w: do the audit again", s.dir, err)
	}
	if o.Random > 0 {
		if s.random, err = newRandom(f, o.Random); err != nil {
			return nil, err
		}
	}
	s.setOrder()
	s.near = newNeighbours(s.classes, s.issues, s.posteriors)
	if o.Originals == nil {
		o.Originals = s.summary.Source.Originals
		if err := s.summary.Source.Unchanged(s.summary.Files); err != nil {
			return nil, dataset.Errorf("%w: do the audit again (with --id, if a column of it names the examples)", err)
		}
	}
	s.looks, s.none = newLooks(s.issues, o.Originals), nothing(s.summary.Source)
	log, decisions, err := f.Decide()
	if err != nil {
		return nil, err
	}
	s.log = log
	s.resume(s.random.with(audit.WithNames(decisions, s.summary.Source)))
	return s, nil
}

// check compares the files with each other.
func (s *Session) check() error {
	if c := s.posteriors.Classes; c != len(s.classes) {
		return fmt.Errorf("%s has %d classes, %s has %d", audit.ProbabilitiesFile, c, audit.SummaryFile, len(s.classes))
	}
	if n := len(s.posteriors.Values) / s.posteriors.Classes; n != len(s.issues) {
		return fmt.Errorf("%s has %d rows, %s has %d", audit.ProbabilitiesFile, n, audit.IssuesFile, len(s.issues))
	}
	if n := len(s.sums); s.sums != nil && n != len(s.issues) {
		return fmt.Errorf("%s has %d rows, %s has %d", audit.SumsFile, n, audit.IssuesFile, len(s.issues))
	}
	known := make(map[string]bool)
	for _, name := range s.classes {
		known[name] = true
	}
	for _, i := range s.issues {
		if !known[i.Given] || !known[i.Suggested] {
			return fmt.Errorf("%s: example %q has a class that %s does not have", audit.IssuesFile, i.ID, audit.SummaryFile)
		}
	}
	return nil
}

// setOrder asks for the examples that tell most, or those that were drawn, then for the others
// from the worst on.
func (s *Session) setOrder() {
	index := make([]int, len(s.issues))
	for i, issue := range s.issues {
		index[issue.Row] = i
	}
	seen := make([]bool, len(s.issues))
	s.order = make([]int, 0, len(s.issues))
	rows := s.summary.Ask
	if s.random != nil {
		rows = s.random.rows
	}
	for _, row := range rows {
		if row >= 0 && row < len(index) && !seen[index[row]] {
			seen[index[row]] = true
			s.order = append(s.order, index[row])
		}
	}
	s.asked = len(s.order)
	for i := range s.issues {
		if !seen[i] {
			s.order = append(s.order, i)
		}
	}
}

// nothing says why nothing is seen of an example of a source that has been read.
func nothing(source own.Source) string {
	if source.Path == "" {
		return "The audit had the labels and their probabilities alone, and nothing to show."
	}
	switch kind, err := source.Stored(); {
	case err != nil:
		return "The data cannot be read: " + err.Error()
	case kind == dataset.Image:
		return "The picture is missing or broken."
	case kind == dataset.Text:
		return "The text is empty."
	}
	return "An example of numbers has nothing to show."
}

// Command is that of the audit.
func (s *Session) Command() string { return s.summary.Command }

// Repaired says what was repaired of decisions.csv; "" if nothing was.
func (s *Session) Repaired() string { return s.log.Repaired }

// resume takes over earlier decisions. Those on examples that are no longer in the audit, and
// those that no longer hold, stay in the file and have no effect here. An undo takes back the
// line before it whether that one holds or not.
func (s *Session) resume(decisions []audit.Decision) {
	index := make(map[string]int, len(s.issues))
	for i, issue := range s.issues {
		index[issue.ID] = i
	}
	s.made, s.history = make([][]audit.Decision, len(s.issues)), nil
	for k := 0; k < len(decisions); k++ {
		d := decisions[k]
		i, ok := index[d.ID]
		switch {
		case !ok:
		case d.Action != audit.Undo:
			s.push(i, d)
		case k+1 < len(decisions) && s.restores(i, decisions[k+1]):
			s.pop(i)
			k++
		default:
			s.forget(i)
		}
	}
	for i, made := range s.made {
		stale := func(d audit.Decision) bool { return !d.Holds(s.issues[i].Given) }
		if !slices.ContainsFunc(made, stale) {
			continue
		}
		last := made[len(made)-1]
		if s.forget(i); !stale(last) {
			s.push(i, last)
		}
	}
}

// forget takes back all decisions on an issue.
func (s *Session) forget(i int) {
	for len(s.made[i]) > 0 {
		s.pop(i)
	}
}

// restores reports whether d is the decision on an issue that was before the last one: Undo
// writes it again.
func (s *Session) restores(i int, d audit.Decision) bool {
	n := len(s.made[i])
	if n < 2 {
		return false
	}
	before := s.made[i][n-2]
	before.Time = d.Time
	return d == before
}

func (s *Session) push(i int, d audit.Decision) {
	s.made[i], s.history = append(s.made[i], d), append(s.history, i)
}

// pop takes back the last decision on an issue.
func (s *Session) pop(i int) {
	s.made[i] = s.made[i][:len(s.made[i])-1]
	for k, other := range slices.Backward(s.history) {
		if other == i {
			s.history = slices.Delete(s.history, k, k+1)
			return
		}
	}
}

// last returns the decision that holds of an issue, without an Action where it is undecided.
func (s *Session) last(i int) audit.Decision {
	if n := len(s.made[i]); n > 0 {
		return s.made[i][n-1]
	}
	return audit.Decision{}
}

// errStale is the error of a page of another audit.
var errStale = errors.New("the page is out of date: load it again")

// now is the time of a decision.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Decide saves that the example at a place of the order has a label, which may be the
// given one; an empty label skips the example.
func (s *Session) Decide(place int, id, label string) error {
	i, err := s.at(place, id)
	if err != nil {
		return err
	}
	issue := s.issues[i]
	action := audit.Other
	switch {
	case label == "":
		action = audit.Skip
	case label == issue.Given:
		action = audit.Accept
	case label == issue.Suggested:
		action = audit.Suggested
	case !slices.Contains(s.classes, label):
		return fmt.Errorf("there is no class %q", label)
	}
	return s.save(i, action, label)
}

// Mark saves that the example at a place of the order has no single label: the action is
// audit.Ambiguous, audit.None or audit.Skip.
func (s *Session) Mark(place int, id string, action audit.Action) error {
	i, err := s.at(place, id)
	if err != nil {
		return err
	}
	if !slices.Contains([]audit.Action{audit.Ambiguous, audit.None, audit.Skip}, action) {
		return fmt.Errorf("%q is no decision without a label", action)
	}
	return s.save(i, action, "")
}

// at returns the issue at a place, whose name a page has.
func (s *Session) at(place int, id string) (int, error) {
	if place < 0 || place >= len(s.order) || s.issues[s.order[place]].ID != id {
		return 0, errStale
	}
	return s.order[place], nil
}

func (s *Session) save(i int, action audit.Action, label string) error {
	d := audit.Decision{ID: s.issues[i].ID, Given: s.issues[i].Given, Label: label, Action: action, Time: now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.log.Append(d); err != nil {
		return err
	}
	s.push(i, d)
	return nil
}

// Undo takes back the decision that was made last, in this session or before it, and
// returns the example's place; -1 if nothing is decided. An earlier decision on the example
// holds again: in the file it follows the line of the undo.
func (s *Session) Undo() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.history) == 0 {
		return -1, nil
	}
	i := s.history[len(s.history)-1]
	lines := []audit.Decision{{ID: s.issues[i].ID, Given: s.issues[i].Given, Action: audit.Undo, Time: now()}}
	if n := len(s.made[i]); n > 1 {
		before := s.made[i][n-2]
		before.Time = now()
		lines = append(lines, before)
	}
	if err := s.log.Append(lines...); err != nil {
		return -1, err
	}
	s.pop(i)
	return slices.Index(s.order, i), nil
}

// Next returns the first undecided place after a place, starting again at the
// beginning after the last; -1 if all are decided or skipped. A review of random checks ends
// with these.
func (s *Session) Next(after int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := len(s.order)
	if s.random != nil {
		count = s.asked
	}
	for k := range count {
		place := (after + 1 + k) % count
		if s.last(s.order[place]).Action == "" {
			return place
		}
	}
	return -1
}

// Progress is how far a review is.
type Progress struct {
	Decided   int      `json:"decided"`   // examples with a label
	Changed   int      `json:"changed"`   // of them with another label than the given one
	Ambiguous int      `json:"ambiguous"` // several classes fit
	None      int      `json:"none"`      // no class fits
	Skipped   int      `json:"skipped"`
	Goal      int      `json:"goal"`           // examples that were asked for out of rank or are more likely wrong than right
	Left      *float64 `json:"left,omitempty"` // expected number of wrong labels among those that nobody has decided; none of weak networks and of random checks

	Random *RandomProgress `json:"random,omitempty"` // of random checks
}

// Progress counts the decisions.
func (s *Session) Progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.summary.ExpectedWrong
	p := Progress{}
	for i, issue := range s.issues {
		d := s.last(i)
		switch d.Action {
		case "":
			continue
		case audit.Skip:
			p.Skipped++
			continue
		case audit.Ambiguous:
			p.Ambiguous++
		case audit.None:
			p.None++
		default:
			p.Decided++
			if d.Label != d.Given {
				p.Changed++
			}
		}
		left -= issue.PWrong
	}
	if s.random != nil {
		p.Random, p.Goal = s.random.progress(s), s.asked
		return p
	}
	if left = max(0, left); !s.summary.Weak {
		p.Left = &left
	}
	p.Goal = s.asked
	for _, i := range s.order[s.asked:] {
		if s.issues[i].PWrong <= judging.LikelyWrong {
			break
		}
		p.Goal++
	}
	return p
}

// Close releases decisions.csv.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Close()
}
