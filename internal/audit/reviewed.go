package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// NoName stands for a reviewer without a name.
const NoName = "(no name)"

// NameOf returns a reviewer's name for display.
func NameOf(reviewer string) string { return cmp.Or(reviewer, NoName) }

// Reviewed is the part of summary.json about several reviewers.
type Reviewed struct {
	Reviewers  []Reviewer  `json:"reviewers"` // sorted by name
	Agreements []Agreement `json:"agreements"`
	Conflicts  int         `json:"conflicts"` // examples with an open disagreement
	Settled    int         `json:"settled"`   // conflicts that were settled
}

// Reviewer is a person who has decided.
type Reviewer struct {
	Name    string `json:"name"`
	Decided int    `json:"decided"` // examples, without skipped ones
}

// Reviewed counts the decisions of several reviewers, or returns nil if there is one.
func (t Tally) Reviewed() *Reviewed {
	decided := map[string]int{}
	r := &Reviewed{}
	for _, o := range t {
		for _, x := range o {
			if x.counts() {
				decided[x.Reviewer]++
			}
		}
		if len(o) < 2 { // the usual case
			continue
		}
		switch v := o.Verdict(); {
		case v.Action == Conflict:
			r.Conflicts++
		case v.Settles():
			r.Settled++
		}
	}
	if len(decided) < 2 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(decided)) {
		r.Reviewers = append(r.Reviewers, Reviewer{NameOf(name), decided[name]})
	}
	r.Agreements = t.Agreements()
	for k := range r.Agreements {
		a := &r.Agreements[k]
		a.First, a.Second = NameOf(a.First), NameOf(a.Second)
	}
	return r
}

// String describes how often two reviewers agree.
func (a Agreement) String() string {
	text := fmt.Sprintf("%s and %s agree on %d of %d labels that both decided", a.First, a.Second, a.Same, a.Both)
	switch {
	case a.Kappa != nil:
		return text + fmt.Sprintf(", Cohen's kappa %.2f", *a.Kappa)
	case a.Both < leastShared:
		return text + fmt.Sprintf(" (kappa needs %d)", leastShared)
	}
	return text + " (no kappa: both always give the same answer)"
}

// Now returns the opinions about existing examples with their present labels.
func (t Tally) Now(given func(id string) (label string, there bool)) Tally {
	out := make(Tally, len(t))
	for id, o := range t {
		if label, there := given(id); there {
			if o = o.On(label); len(o) > 0 {
				out[id] = o
			}
		}
	}
	return out
}

// WriteConflicts writes conflicts.csv: all opinions about the examples that reviewers disagree about.
// Without such examples it removes the file.
func (f *Folder) WriteConflicts(t Tally) error {
	var all Opinions
	for _, id := range slices.Sorted(maps.Keys(t)) {
		if o := t[id]; o.Verdict().Action == Conflict {
			all = append(all, o.Told()...)
		}
	}
	if len(all) > 0 {
		return writeTable(f, ConflictsFile, all, func(x Opinion) []string {
			return []string{x.ID, x.Given, NameOf(x.Reviewer), x.Label, string(x.Action), x.Time.UTC().Format(time.RFC3339)}
		})
	}
	if err := os.Remove(f.Path(ConflictsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the list of settled conflicts: %w", err)
	}
	return nil
}

// Review counts the decisions of several reviewers about an audit's labels, and writes their conflicts.
func (f *Folder) Review(data *dataset.Dataset, s own.Source) (*Reviewed, error) {
	said, err := f.Said(s)
	if err != nil {
		return nil, err
	}
	train := data.Train
	given := make(map[string]string, train.Len())
	for i := range train.Len() {
		given[train.ID(i)] = data.Classes[train.Labels[i]]
	}
	tally := TallyOf(said).Now(func(id string) (string, bool) { label, there := given[id]; return label, there })
	return tally.Reviewed(), f.WriteConflicts(tally)
}
