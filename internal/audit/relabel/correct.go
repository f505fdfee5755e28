package relabel

import (
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Correction is the corrected labels of training data, by an audit and people.
type Correction struct {
	Labels []correction.Trusted // the right labels of examples with a wrong one
	Judged int                  // examples that the audit has judged with their present labels
}

// leastJudged is the share of examples that an audit must have judged to count as an audit of the data.
const leastJudged = .9

// Of reports whether the audit has judged most of the n examples of data.
func (c Correction) Of(n int) bool { return float64(c.Judged) >= leastJudged*float64(n) }

// Correct returns the training examples with a wrong label, by people's answers in the folder or, where there is no
// answer, by labels_corrected.csv. An example that the audit has not judged with its present label keeps it.
func Correct(f *audit.Folder, source own.Source, data *dataset.Dataset) (c Correction, err error) {
	found, err := readFound(f, source)
	if err != nil {
		return c, err
	}
	for i := range data.Train.Len() {
		id, given := data.Train.ID(i), data.Classes[data.Train.Labels[i]]
		label := given
		if judged, ok := found.byID[id]; ok && judged.Given == given {
			label = judged.Corrected
			c.Judged++
		}
		if label, _ = found.decided[id].Settle(given, label); label == given {
			continue
		}
		class := slices.Index(data.Classes, label)
		if class < 0 {
			return c, dataset.Errorf("unknown class %q as the label of %s in the audit %s: use a class of the data", label, id,
				f.Dir())
		}
		c.Labels = append(c.Labels, correction.Trusted{Index: i, Label: class})
	}
	return c, nil
}

// found is the result of an audit and its review.
type found struct {
	issues  []audit.Issue
	byID    map[string]audit.Issue // issues by the names of the examples
	decided map[string]audit.Decision
}

func readFound(f *audit.Folder, source own.Source) (r found, err error) {
	if r.issues, err = f.Issues(); err != nil {
		return r, err
	}
	r.byID = make(map[string]audit.Issue, len(r.issues))
	for _, i := range r.issues {
		r.byID[i.ID] = i
	}
	said, err := f.Said(source)
	r.decided = audit.Outcomes(said)
	return r, err
}

// class returns the class of an issue by people or, unless decisionsOnly is set, by labels_corrected.csv, and who
// settled it. now is the label in the data, which may differ from an audited consensus of answers.
func (r found) class(issue audit.Issue, now string, decisionsOnly bool) (string, audit.Settled) {
	label := now
	if !decisionsOnly {
		label = issue.Corrected
	}
	label, how := r.decided[issue.ID].Settle(issue.Given, label)
	if how == audit.Undecided {
		label = now
	}
	return label, how
}
