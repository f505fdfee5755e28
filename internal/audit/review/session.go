package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Options says how a session works. The zero value is a good one.
type Options struct {
	// Originals returns examples as people see them, by their names; nil:
	// own.Data.Originals of the audit's source.
	Originals Originals

	// Random is the number of labels to check at random, to count the wrong ones by
	// (audit.Judged.Draw); 0: the labels come worst first.
	Random int

	// Accept has the labels checked in random order until they are accepted or rejected; nil: it has not.
	Accept *Accept

	// Blind shows what is given alone: no suggestion, no probability and no similar examples.
	Blind bool

	// Reviewer is the name of all who open the page; "": of nobody, or of who says a name where names
	// are asked for.
	Reviewer string

	// Several has the page ask for a name. So do Second, and a folder in which a reviewer has a name.
	Several bool

	// Second is the percentage of what one reviewer has decided that another one is asked, too.
	Second int

	// Hosts are names of this machine under which others open the page; see Listen.
	Hosts []string
}

// Originals returns examples as people see them, by their names, as
// [own.Data.Originals] does.
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
	folder     *audit.Folder
	dir        string
	summary    audit.Summary
	classes    []string
	issues     []audit.Issue // the worst first
	posteriors Posteriors
	sums       []uint64 // of the examples when they were audited, by row; nil where they are not known
	order      []int    // of issues, as they are asked
	asked      int      // so many of them are random checks
	random     *random  // nil without random checks
	accept     *accept  // nil without an acceptance
	blind      bool
	near       *neighbours
	looks      *looks
	none       string // says why an example cannot be seen that could be read
	secret     string // part of the address

	fixed  string // name of all reviewers where names are not asked for
	ask    bool   // names are asked for
	second []bool // by issue: another reviewer is asked, too; nil for none
	hosts  []string

	readTime time.Duration // how long the body of a decision may take

	mu        sync.Mutex
	log       *audit.LogWriter
	people    []*Reviewer
	tally     audit.Tally
	verdicts  []audit.Decision // by issue: what all say together
	told      []uint8          // by issue: how many have decided, 255 at most
	waiting   int              // issues of which second wants one more opinion
	conflicts int
	reviewed  *audit.Reviewed  // nil of one reviewer
	counted   bool             // reviewed is of all decisions
	places    map[string][]int // by sort
	listed    []int            // rows of the last list

	shrinking sync.Mutex // one thumbnail at a time
	searching sync.Mutex // guards texts
	texts     []string   // of all examples in lower case, by row, once one is searched for
}

// Open begins or resumes the review of a folder, whose decisions.jsonl it locks.
func Open(f *audit.Folder, o Options) (*Session, error) {
	s := &Session{dir: f.Dir(), secret: newSecret(), blind: o.Blind, fixed: o.Reviewer, hosts: o.Hosts,
		readTime: 20 * time.Second}
	var err error
	if s.summary, err = f.Summary(); err != nil {
		return nil, err
	}
	s.blind = s.blind || s.summary.Model == audit.NoModel
	if s.issues, err = f.Issues(); err != nil {
		return nil, err
	}
	for k := range s.issues { // a label that is likelier right is not suggested to be changed
		if i := &s.issues[k]; i.PWrong <= judging.LikelyWrong {
			i.Suggested = i.Given
		}
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
	s.near = newNeighbours(s.classes, s.issues, s.posteriors)
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
	s.folder = f
	if err := s.resume(o); err != nil {
		return nil, errors.Join(err, s.log.Close())
	}
	return s, s.listConflicts()
}

// resume takes over what the log has, and draws the random checks that are missing.
func (s *Session) resume(o Options) (err error) {
	said := s.log.Said(s.summary.Source)
	s.ask = o.Reviewer == "" && (o.Several || o.Second > 0 || slices.ContainsFunc(said, func(d audit.Decision) bool {
		return d.Reviewer != ""
	}))
	if o.Random > 0 {
		if s.random, err = newRandom(s.folder, s.log, o.Random); err != nil {
			return err
		}
	}
	if o.Accept != nil {
		if s.accept, err = newAccept(s.folder, s.log, *o.Accept); err != nil {
			return err
		}
	}
	s.setOrder()
	s.drawSecond(o.Second)
	s.restore(said)
	return nil
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

// setOrder puts the random checks first, then the others from the worst on.
func (s *Session) setOrder() {
	index := make([]int, len(s.issues))
	for i, issue := range s.issues {
		index[issue.Row] = i
	}
	seen := make([]bool, len(s.issues))
	s.order = make([]int, 0, len(s.issues))
	for _, row := range s.drawn() {
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

// drawn are the rows that are asked first, as a draw has them.
func (s *Session) drawn() []int {
	switch {
	case s.random != nil:
		return s.random.rows
	case s.accept != nil:
		return s.accept.asked()
	}
	return nil
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

// Progress is how far a review is.
type Progress struct {
	Decided   int `json:"decided"`   // examples with a label
	Changed   int `json:"changed"`   // of them with another label than the given one
	Ambiguous int `json:"ambiguous"` // several classes fit
	None      int `json:"none"`      // no class fits
	Skipped   int `json:"skipped"`
	Goal      int `json:"goal"` // random checks, or labels that are more likely wrong than right

	Random *RandomProgress `json:"random,omitempty"` // of random checks
	Accept *AcceptProgress `json:"accept,omitempty"` // of an acceptance

	Mine      int             `json:"mine"`               // examples that this reviewer has decided or skipped
	Conflicts int             `json:"conflicts"`          // examples on which reviewers disagree
	Reviewed  *audit.Reviewed `json:"reviewed,omitempty"` // of several reviewers
}

// progress is Progress of a session that is locked.
func (s *Session) progress() Progress {
	p := Progress{Conflicts: s.conflicts, Reviewed: s.agreement()}
	for i := range s.issues {
		d := s.verdicts[i]
		switch d.Action {
		case "", audit.Conflict:
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
	if s.random != nil {
		p.Random, p.Goal = s.random.progress(s), s.asked
		return p
	}
	if s.accept != nil {
		p.Accept, p.Goal = s.accept.progress(s), s.asked
		return p
	}
	for i := range s.issues {
		if s.issues[i].PWrong > judging.LikelyWrong { // the order is not by p_wrong
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
