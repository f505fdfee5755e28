package review

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Options configures a session. The zero value reviews the worst labels first.
type Options struct {
	// Originals reads examples as people see them; nil for own.Data.Originals of the audit's source.
	Originals Originals

	// Random is the number of labels to check at random to estimate the number of wrong ones
	// (audit.Judged.Draw); 0 for the worst labels first.
	Random int

	// Accept, unless nil, asks for the labels in random order until they are accepted or rejected.
	Accept *Accept

	// Blind shows only the given label: no suggestion, no probability and no similar examples.
	Blind bool

	// Reviewer is the name of everyone who opens the page; "" for no name or, with Several, the name that
	// they enter.
	Reviewer string

	// Several makes the page ask for a name. So do Second, and a folder with a named reviewer.
	Several bool

	// Second is the percentage of decided examples that a second reviewer is asked about.
	Second int

	// Hosts are further names of this machine for other people to open the page with; see Listen.
	Hosts []string
}

// Originals returns examples as people see them, by their names, as
// [own.Data.Originals] does.
type Originals func(ctx context.Context, ids []string) ([]own.Original, error)

// Session is a review of an audit's folder. Its methods may be called from several
// goroutines.
type Session struct {
	folder  *audit.Folder
	judged  *audit.Judged
	summary audit.Summary
	classes []string
	issues  []audit.Issue    // worst first
	order   []int            // issues in the order of asking
	asked   int              // number of random checks at the start of order
	draw    audit.Draws      // random checks; nil if there are none
	accept  *audit.Accepting // nil without an acceptance
	blind   bool
	near    *neighbours
	looks   *looks
	none    string // why there is nothing to show of an example that was read
	secret  string // random part of the address, which other users of the machine cannot guess

	fixed  string // name of all reviewers if names are not asked for
	ask    bool   // names are asked for
	second []bool // by issue: needs two opinions; nil if none does
	hosts  []string

	readTime time.Duration // how long the body of a decision may take

	mu        sync.Mutex
	log       *audit.LogWriter
	people    []*Reviewer
	tally     audit.Tally
	verdicts  []audit.Decision // by issue
	decidedBy []uint8          // by issue: number of reviewers who have decided, at most 255
	lastCount *audit.Checked   // the last estimate by random checks, or nil
	places    map[string][]int // by sort
	listed    []int            // rows of the last list

	shrinking sync.Mutex // one thumbnail at a time
	searching sync.Mutex // guards texts
	texts     []string   // of all examples in lower case, by row; set by the first search
}

// Open begins or resumes the review of a folder, whose decisions.jsonl it locks.
func Open(f *audit.Folder, o Options) (*Session, error) {
	s := &Session{folder: f, secret: rand.Text()[:16], blind: o.Blind, fixed: o.Reviewer, hosts: o.Hosts,
		readTime: 20 * time.Second}
	var err error
	if s.judged, err = f.Judged(); err != nil {
		return nil, err
	}
	s.summary, s.classes, s.issues = s.judged.Summary, s.judged.Classes, s.judged.Issues
	s.blind = s.blind || s.judged.NoModel()
	for k := range s.issues { // suggest a change only if the label is likelier wrong
		if i := &s.issues[k]; i.PWrong <= judging.LikelyWrong {
			i.Suggested = i.Given
		}
	}
	s.near = newNeighbours(s.classes, s.issues, s.judged.G)
	if o.Originals == nil {
		o.Originals = own.Looker(s.summary.Source)
		if err := s.summary.Source.Unchanged(s.summary.Files); err != nil {
			return nil, dataset.Errorf("%w: do the audit again (with --id, if a column of it names the examples)", err)
		}
	}
	s.looks, s.none = newLooks(s.issues, o.Originals), nothing(s.summary.Source)
	if s.log, err = f.Write(); err != nil {
		return nil, err
	}
	if err := s.resume(o); err != nil {
		return nil, errors.Join(err, s.log.Close())
	}
	return s, s.listConflicts()
}

// resume takes over the log, and draws the missing random checks.
func (s *Session) resume(o Options) error {
	said := s.log.Said(s.summary.Source)
	s.ask = o.Reviewer == "" && (o.Several || o.Second > 0 || slices.ContainsFunc(said, func(d audit.Decision) bool {
		return d.Reviewer != ""
	}))
	rows, err := s.checks(o)
	if err != nil {
		return err
	}
	s.setOrder(rows)
	s.drawSecond(o.Second)
	s.restore(said)
	return nil
}

// setOrder puts the rows to check first, then the others from the worst on.
func (s *Session) setOrder(first []int) {
	index := make([]int, len(s.issues))
	for i, issue := range s.issues {
		index[issue.Row] = i
	}
	seen := make([]bool, len(s.issues))
	s.order = make([]int, 0, len(s.issues))
	for _, row := range first {
		seen[index[row]] = true
		s.order = append(s.order, index[row])
	}
	s.asked = len(s.order)
	for i := range s.issues {
		if !seen[i] {
			s.order = append(s.order, i)
		}
	}
}

// nothing returns why there is nothing to show of an example that was read.
func nothing(source own.Source) string {
	if source.Path == "" {
		return "There is nothing to show: the audit had only labels and probabilities."
	}
	switch kind, err := source.Stored(); {
	case err != nil:
		return "The data cannot be read: " + err.Error()
	case kind == dataset.Image:
		return "The picture is missing or broken."
	case kind == dataset.Text:
		return "The text is empty."
	}
	return "There is nothing to show: the example is a row of numbers."
}

// Command returns the command of the audit.
func (s *Session) Command() string { return s.summary.Command }

// Progress is the progress of a review.
type Progress struct {
	Decided   int `json:"decided"`   // examples with a label
	Changed   int `json:"changed"`   // examples with another label than the given one
	Ambiguous int `json:"ambiguous"` // several classes fit
	None      int `json:"none"`      // no class fits
	Skipped   int `json:"skipped"`
	Goal      int `json:"goal"` // random checks, or labels that are more likely wrong than right

	Random *RandomProgress `json:"random,omitempty"` // nil without random checks
	Accept *AcceptProgress `json:"accept,omitempty"` // nil without an acceptance

	Mine      int             `json:"mine"`               // examples that this reviewer has decided or skipped
	Conflicts int             `json:"conflicts"`          // examples on which reviewers disagree
	Reviewed  *audit.Reviewed `json:"reviewed,omitempty"` // nil if there is one reviewer
}

// progress is Progress for a locked session.
func (s *Session) progress() Progress {
	p := Progress{}
	if len(s.people) > 1 {
		p.Reviewed = s.tally.Reviewed()
	}
	for i := range s.issues {
		d := s.verdicts[i]
		switch d.Action {
		case "":
			continue
		case audit.Conflict:
			p.Conflicts++
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
	}
	if s.draw != nil {
		p.Random, p.Goal = s.checked(), s.asked
		return p
	}
	if s.accept != nil {
		p.Accept, p.Goal = s.acceptance(), s.asked
		return p
	}
	for i := range s.issues {
		if s.issues[i].PWrong > judging.LikelyWrong { // count all, since order is not by p_wrong
			p.Goal++
		}
	}
	return p
}

// Progress counts the decisions of all reviewers.
func (s *Session) Progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress()
}

// Close releases decisions.jsonl.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.listConflicts(), s.log.Close())
}
