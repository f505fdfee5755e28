package relabel

import (
	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/dataset/own"
)

// found is what an audit and its review say of the labels of a source.
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
	decisions, err := audit.ReadDecisions(f.Path(audit.DecisionsFile))
	r.decided = audit.Outcomes(audit.WithNames(decisions, source))
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
// settled it.
func (r found) class(issue audit.Issue, decisionsOnly bool) (string, settlement) {
	label := r.labels[issue.Row].Label
	if decisionsOnly {
		label = issue.Given
	}
	return settled(issue, label, r.decided[issue.ID])
}

// settlement says who settled the label of an example.
type settlement int

const (
	byAudit   settlement = iota
	byPeople             // a decision
	undecided            // people found that several classes fit, or none
	stale                // the audit, as the decision was on another label
	disputed             // the audit, as reviewers disagree
)

// settled returns the label of an example by the decision on it or, where none holds, by the audit.
func settled(issue audit.Issue, label string, d audit.Decision) (string, settlement) {
	switch {
	case d.Action == "":
		return label, byAudit
	case !d.Holds(issue.Given):
		return label, stale
	case d.Action == audit.Conflict:
		return label, disputed
	case !d.Decides():
		return issue.Given, undecided
	}
	return d.Label, byPeople
}
