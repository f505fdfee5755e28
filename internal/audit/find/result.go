package find

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
)

// wide is the share of all labels above which a range of wrong labels counts as wide.
const wide = .1

// fewest is the number of checks that a class needs for a number of its own.
const fewest = 5

// report completes the report of what was found.
func (a *work) report(found *finding) *audit.Report {
	r, given, n := found.Report, a.Data.Train.Labels, a.Data.Train.Len()
	r.Program, r.Command, r.Source, r.Files = a.Program, a.Command, a.Networks.Source, a.Data.Files
	r.Examples, r.Pi, r.Random, r.TrustedLabels = n, found.random.Pi, found.random.Checked, len(found.trusted)
	r.Model, r.Folds = a.Networks.Network(), a.Networks.Folds.Count
	r.Twins, r.LeftOut, r.Unreadable, r.Sums = a.duplicates, a.unreadable, len(a.unreadable), a.Sums
	slices.SortStableFunc(r.Twins, audit.Duplicate.Compare)
	r.Duplicates = audit.CountDuplicates(r.Twins)
	r.Measured = measure(found.Judgement, a.Data.Train.Truth, given)
	r.Warnings = slices.Concat(a.changed(), found.topWarnings, found.Warnings, a.Findings)
	if len(r.Views) > 0 {
		r.Model = r.Views[0].Model
	}
	switch {
	case found.predicted == nil:
		r.Model, r.Folds = "no network", 0
	case a.Probabilities != nil:
		r.Model, r.Folds = "given probabilities", 0
	}
	right := 0
	for i, k := range found.predicted {
		if k == given[i] {
			right++
		}
	}
	r.GivenAccuracy = 100 * float64(right) / float64(n)
	a.count(found, &r.Summary)
	if r.Random == nil && r.Wrong.High-r.Wrong.Low > wide*float64(n) && found.predicted != nil {
		r.Stronger = a.stronger()
	}
	r.Changes = found.modelChanges()
	r.Issues, r.Labels = a.issues(found), a.corrected(found, r.Changes != nil)
	return &r
}

// count estimates the number of wrong labels by random checks or, without them, as a range.
func (a *work) count(found *finding, s *audit.Summary) {
	s.Count(a.Data.Classes, a.Data.Train.Labels, found.model, found.Judgement)
	if s.Random == nil {
		return
	}
	s.Wrong = audit.Wrong{Low: s.Random.Interval.Low, High: s.Random.Interval.High, Estimate: &s.Random.Wrong}
	classes, err := found.random.Count.ByClass(a.Data.Train.Labels, len(s.Classes))
	if err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("random checks by class: %v", err))
		return
	}
	for k, class := range classes {
		if class.Checked < fewest {
			continue // its interval would be wider than the range
		}
		s.Classes[k].Wrong = audit.Wrong{Low: class.Low, High: class.High, Estimate: &class.Wrong}
	}
}

// modelChanges counts the changes in labels_corrected.csv, or returns nil if too few would be right.
func (found *finding) modelChanges() *audit.Changes {
	changes := audit.Changes{}
	for i := range found.Judgement.Wrong {
		if !found.known[i] && found.changes(i) {
			changes.Labels++
			changes.Right += found.Right[i]
		}
	}
	if changes.Right < leastRight*float64(changes.Labels) {
		return nil
	}
	return &changes
}

// leastRight is the share of changes that must be right by the model; otherwise labels_corrected.csv changes none.
const leastRight = .6

// changes reports whether labels_corrected.csv gives example i its suggested class: if the label is likely wrong
// under both kinds of mistakes or, after enough random checks, by w.
func (found *finding) changes(i int) bool {
	if found.People != nil {
		return false // the consensus is the likeliest class already
	}
	if found.checked() || found.known[i] { // likelier than the given class
		return found.Judgement.Wrong[i] > judging.LikelyWrong && found.Right[i] > 1-found.Judgement.Wrong[i]
	}
	return min(found.model.ClassDependent[i], found.model.InstanceDependent[i]) > judging.LikelyWrong
}

// issues returns the lines of issues.csv, worst first.
func (a *work) issues(found *finding) (issues []audit.Issue) {
	classes, train := a.Data.Classes, a.Data.Train
	for k, i := range found.Order {
		issue := audit.Issue{Rank: k + 1, ID: train.ID(i), Row: i, Given: classes[train.Labels[i]],
			Suggested: classes[found.Suggested[i]], PWrong: found.Judgement.Wrong[i]}
		if a.unusual != nil {
			issue.Unusual = &a.unusual[i]
		}
		issues = append(issues, issue)
	}
	return issues
}

// corrected returns the lines of labels_corrected.csv: people's label or, where changes are offered, the suggested
// one. A label stays if people found that several classes fit, or none.
func (a *work) corrected(found *finding, offered bool) []audit.Label {
	classes, train, said := a.Data.Classes, a.Data.Train, audit.Outcomes(found.log.Answers)
	labels := make([]audit.Label, train.Len())
	for i, y := range train.Labels {
		given, label := classes[y], classes[y]
		if found.changes(i) && (offered || found.known[i]) {
			label = classes[found.Suggested[i]]
		}
		label, _ = said[train.ID(i)].Settle(given, label)
		labels[i] = audit.Label{ID: train.ID(i), Label: label}
	}
	return labels
}

// measure compares a judgement, the worst label first, with the true labels, -1 if unknown.
// It returns nil if none is known.
//
//	average precision = 1/W sum over the W wrong labels of (place among wrong labels / place among all)
func measure(a judging.Judgement, truth, given []int) *audit.Measured {
	if truth == nil {
		return nil
	}
	var m audit.Measured
	var flagged, hits, corrected int
	for _, i := range a.Order {
		if truth[i] < 0 {
			continue
		}
		m.Known++
		wrong := truth[i] != given[i]
		if wrong {
			m.Wrong++
			m.AveragePrecision += float64(m.Wrong) / float64(m.Known)
		}
		if a.Wrong[i] > judging.LikelyWrong {
			flagged++
			if wrong {
				hits++
			}
			if wrong && a.Suggested[i] == truth[i] {
				corrected++
			}
		}
	}
	if m.Known == 0 {
		return nil
	}
	if m.Wrong > 0 {
		m.AveragePrecision /= float64(m.Wrong)
		m.Corrected = float64(corrected) / float64(m.Wrong)
	}
	if flagged+m.Wrong > 0 {
		m.F1 = 2 * float64(hits) / float64(flagged+m.Wrong)
	}
	return &m
}
