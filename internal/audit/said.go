package audit

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Said returns all that people have said of the labels of a source: the lines of decisions.csv and the answers
// of files that audits have read, as those of a reviewer without a name. The lines of each example are in order of
// time, those of decisions.csv as the file has them.
func (f *Folder) Said(s own.Source) ([]Decision, error) {
	list, err := ReadDecisions(f.Path(DecisionsFile))
	if err != nil {
		return nil, err
	}
	r, err := f.readRandom()
	if err != nil || r == nil {
		return WithNames(list, s), err
	}
	return join(WithNames(list, s), WithNames(r.told(), s)), nil
}

// told are the answers that were read from files.
func (r *Random) told() (answers []Decision) {
	for _, c := range r.Checks {
		if c.Answer != "" {
			answers = append(answers, Decision{ID: c.ID, Given: c.Given, Label: c.Label, Action: c.Answer, Time: c.Time,
				Sheet: true})
		}
	}
	return answers
}

// join puts answers of files where they belong among decisions. One that only says what people say already is left
// out: losscorr review --write gives people a file with these in it, and they may be taken back.
func join(decisions, answers []Decision) []Decision {
	if len(answers) == 0 {
		return decisions
	}
	type line struct {
		Decision
		at time.Time // no earlier than that of the line of the example before it
	}
	lines, latest := make([]line, 0, len(decisions)+len(answers)), map[string]time.Time{}
	for _, d := range decisions {
		if d.Time.After(latest[d.ID]) {
			latest[d.ID] = d.Time
		}
		lines = append(lines, line{d, latest[d.ID]})
	}
	for _, d := range answers {
		lines = append(lines, line{d, d.Time})
	}
	slices.SortStableFunc(lines, func(x, y line) int { return x.at.Compare(y.at) })
	out, tally := make([]Decision, 0, len(lines)), Tally{}
	for _, l := range lines {
		if l.Sheet && tally[l.ID].On(l.Given).Verdict().agrees(l.Decision) {
			continue
		}
		tally.Add(l.Decision)
		out = append(out, l.Decision)
	}
	return out
}

// Remember saves answers to random checks that were read from a file (ReadSheet), which Said has from then on. Those
// that the file had when it was read before are not news. The error is dataset.ErrData if they are of other labels
// than those of data, or of examples that were not asked for.
func (f *Folder) Remember(data *dataset.Dataset, s own.Source, answers map[string]Decision, file string) error {
	r, err := f.judgedOf(data).Random()
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	if r == nil {
		return dataset.Errorf("no %s in %s: answers count as random checks if losscorr review %s --random N has drawn the "+
			"examples", RandomFile, f.dir, f.dir)
	}
	said, err := f.Said(s)
	if err != nil {
		return err
	}
	if file, err = filepath.Abs(file); err != nil {
		return fmt.Errorf("the random checks: %w", err)
	}
	if foreign := r.remember(answers, file, Last(said)); foreign > 0 {
		return dataset.Errorf("%d of %d answers are of examples that were not drawn for a random check: only those of "+
			"losscorr review %s --random N --write FILE count", foreign, len(answers), f.dir)
	}
	return f.writeRandom(r)
}

// remember takes over the answers of a file. It returns how many are of no random check that was asked for.
func (r *Random) remember(answers map[string]Decision, file string, said map[string]Decision) (foreign int) {
	asked := map[string]bool{}
	for _, k := range r.Distinct() {
		c := &r.Checks[k]
		asked[c.ID] = true
		d, ok := answers[c.ID]
		if !ok {
			continue
		}
		of := len(c.Files) == 0 || slices.Contains(c.Files, file) // the file had an answer before
		switch {
		case d.Action == Undo && of:
			c.Answer, c.Label, c.Time, c.Files = "", "", time.Time{}, nil
			continue
		case d.Action == Undo: // its cell was empty before
			continue
		case d.Action != c.Answer || d.Label != c.Label:
			c.Answer, c.Label, c.Time, c.Files = d.Action, d.Label, now(), nil
		case !of && said[c.ID].Action == "": // it was taken back, and is said again
			c.Time = now()
		}
		c.shown(file)
	}
	for id, d := range answers {
		if !asked[id] && d.Action != Undo {
			foreign++
		}
	}
	return foreign
}

// shown says that a file has the answer.
func (c *RandomCheck) shown(file string) {
	if c.Answer != "" && !slices.Contains(c.Files, file) {
		c.Files = append(c.Files, file)
	}
}

// Settlement says who settled the label of an example.
type Settlement int

const (
	ByAudit   Settlement = iota
	ByPeople             // a decision
	Undecided            // people found that several classes fit, or none
	Stale                // the audit, as the decision was on another label
	Disputed             // the audit, as reviewers disagree
)

// Settle returns the label of an example by the decision on it or, where none holds, by the audit.
func (d Decision) Settle(given, audited string) (string, Settlement) {
	switch {
	case d.Action == "":
		return audited, ByAudit
	case !d.Holds(given):
		return audited, Stale
	case d.Action == Conflict:
		return audited, Disputed
	case !d.Decides():
		return given, Undecided
	}
	return d.Label, ByPeople
}
