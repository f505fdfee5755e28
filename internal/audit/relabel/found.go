package relabel

import (
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// found is the result of an audit and its review.
type found struct {
	issues  []audit.Issue
	labels  []audit.Label // by Issue.Row
	decided map[string]audit.Decision
}

func readFound(f *audit.Folder, source own.Source) (r found, err error) {
	if r.issues, err = f.Issues(); err != nil {
		return r, err
	}
	if r.labels, err = f.Labels(); err != nil {
		return r, err
	}
	said, err := f.Said(source)
	r.decided = audit.Outcomes(said)
	return r, err
}

// byID returns the issues by the names of the examples.
func (r found) byID() map[string]audit.Issue {
	issues := make(map[string]audit.Issue, len(r.issues))
	for _, i := range r.issues {
		issues[i.ID] = i
	}
	return issues
}

// class returns the class of an issue by people or, unless decisionsOnly is set, by labels_corrected.csv, and who
// settled it. now is the label in the data, which may differ from an audited consensus of answers.
func (r found) class(issue audit.Issue, now string, decisionsOnly bool) (string, audit.Settled) {
	label := r.labels[issue.Row].Label
	if decisionsOnly {
		label = now
	}
	label, how := r.decided[issue.ID].Settle(issue.Given, label)
	if how == audit.Undecided {
		label = now
	}
	return label, how
}
