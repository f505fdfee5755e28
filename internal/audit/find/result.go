package find

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
)

// certain is the upper end of the share of wrong labels up to which labels that show none are said to be right.
const certain = .02

// shares are the shares of wrong labels of Summary.ToCheck.
var shares = []float64{.1, .05, .02, .01, .005}

// confusions bounds Summary.Confusions, asked Summary.Ask.
const (
	confusions = 20
	asked      = 200
)

// summary describes what was found.
func (a Audit) summary(found *finding) audit.Summary {
	given, n := a.Data.Train.Labels, a.Data.Train.Len()
	s := audit.Summary{
		Program: a.Program, Command: a.Command, Source: a.Networks.Source, Files: a.Data.Files,
		Examples: n, Weak: found.weak, Model: a.Networks.Network(), Folds: a.Networks.Folds.Count, Runs: found.runs, Posterior: found.posterior,
		TrustedLabels: len(found.trusted), UnnamedRows: found.estimation.Unnamed, Confusions: []audit.Confusion{},
		Warnings: slices.Concat(found.topWarnings, found.estimation.Warnings, found.warnings, a.Findings, found.alike),
	}
	if s.Views = found.views; len(found.views) > 0 {
		s.Model = found.views[0].Model
	}
	switch {
	case found.crowd != nil && !found.crowd.network:
		s.Model, s.Folds = "no network", 0
	case a.Probabilities != nil:
		s.Model, s.Folds = "given probabilities", 0
	}
	s.Classes = make([]audit.Class, len(a.Data.Classes))
	for k, name := range a.Data.Classes {
		s.Classes[k].Name = name
	}
	right := 0
	for i, y := range given {
		s.Classes[y].Examples++
		if found.predicted[i] == y {
			right++
		}
	}
	if found.crowd == nil || found.crowd.network {
		s.GivenAccuracy = 100 * float64(right) / float64(n)
	}
	s.Ask = judging.Ask(found.estimation, found.audited, slices.Concat(found.trusted, found.random.Known), asked)
	s.Random, s.Uneven = found.random.Checked, found.uneven
	s.Crowd, s.Duplicates = a.crowdSummary(found.crowd), audit.CountDuplicates(found.duplicates)
	s.Unreadable = len(a.unreadable)
	if t := found.ranking; t != nil {
		s.Unproven = t.Rows()
	}
	order := found.audited.Order()
	s.Measured = measure(found.audited, order, a.Data.Train.Truth, given)
	if !found.weak {
		a.count(found, &s)
	} else if s.Measured != nil {
		s.Measured.F1, s.Measured.Corrected = 0, 0 // no label is flagged
	}
	if s.Random != nil {
		a.countChecked(found, &s)
	}
	if !found.weak {
		a.describe(found, order, &s)
	}
	return s
}

// count says how many labels are wrong by the model, and how labels go wrong.
func (a Audit) count(found *finding, s *audit.Summary) {
	s.ExpectedWrong, s.Flagged = found.audited.ExpectedWrong, found.audited.Flagged()
	s.NoiseRate, s.NoiseRateInterval = s.ExpectedWrong/float64(s.Examples), found.intervals.NoiseRate
	s.T, s.Disagreement = found.estimation.T.Rows(), found.estimation.Disagreement
	for _, row := range found.intervals.T {
		low, high := make([]float64, len(row)), make([]float64, len(row))
		for j, v := range row {
			low[j], high[j] = v.Low, v.High
		}
		s.TLow, s.THigh = append(s.TLow, low), append(s.THigh, high)
	}
	for k := range s.Classes {
		s.Classes[k].ExpectedWrong, s.Classes[k].Interval = found.audited.ExpectedByClass[k], found.intervals.Wrong[k]
	}
	if u := found.uneven; u != nil && u.Noticed { // then each label that the networks do not predict may be wrong
		s.NoiseRateInterval.High = max(s.NoiseRateInterval.High, 1-s.GivenAccuracy/100)
	}
	s.LowT = found.doubted
	s.Doubted = found.doubted && s.Random == nil && s.NoiseRateInterval.High > certain
}

// describe says which labels are likely wrong, how many to check, and how good the networks are.
func (a Audit) describe(found *finding, order []int, s *audit.Summary) {
	given, classes := a.Data.Train.Labels, a.Data.Classes
	kinds := map[[2]int]int{}
	for i, y := range given {
		if found.audited.Wrong[i] > judging.LikelyWrong {
			s.Classes[y].Flagged++
			if k := found.audited.Suggested[i]; k != y { // else several others are likelier together only
				kinds[[2]int{y, k}]++
			}
		}
	}
	for kind, count := range kinds {
		s.Confusions = append(s.Confusions, audit.Confusion{Given: classes[kind[0]], Suggested: classes[kind[1]], Count: count})
	}
	slices.SortFunc(s.Confusions, func(x, y audit.Confusion) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Given, y.Given), cmp.Compare(x.Suggested, y.Suggested))
	})
	s.Confusions = s.Confusions[:min(len(s.Confusions), confusions)]
	for _, share := range shares {
		if share < s.NoiseRate && !s.Doubted {
			s.ToCheck = append(s.ToCheck, audit.Budget{Share: share, Checks: found.audited.Checks(order, share)})
		}
	}
	if found.crowd != nil {
		if found.crowd.network {
			s.CleanAccuracy = 100 * found.crowd.accuracy(found.predicted)
		}
		return
	}
	if s.Doubted || s.HidesT() { // T-hat does not say how many labels are right
		return
	}
	rng := rand.New(rand.NewPCG(config.Stream(a.Networks.Seed, "accuracy"), 0))
	clean, _, err := judging.CleanAccuracy(found.predicted, given, found.estimation.T, found.intervals.Draws, rng)
	if err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the accuracy on true labels is not known: %v", err))
	}
	s.CleanAccuracy = 100 * clean
}

// check counts the wrong labels by the random checks of the folder. model holds the probabilities of wrong
// labels that know nothing of what people said.
func (a Audit) check(f *audit.Folder, found *finding, model []float64) error {
	counted, warning, err := f.CountChecked(a.Data, a.Networks.Source, model, found.weak || found.doubted || found.crowd != nil)
	if warning != "" {
		found.warnings = append(found.warnings, warning)
	}
	found.random = counted
	return err
}

// countChecked replaces the numbers of wrong labels by those of random checks.
func (a Audit) countChecked(found *finding, s *audit.Summary) {
	n := float64(s.Examples)
	s.ExpectedWrong, s.NoiseRate = s.Random.Wrong, s.Random.Wrong/n
	s.NoiseRateInterval = correction.Interval{Low: s.Random.Interval.Low / n, High: s.Random.Interval.High / n}
	classes, err := found.random.Count.ByClass(a.Data.Train.Labels, len(s.Classes))
	if err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("random checks by class: %v", err))
		return
	}
	for k, class := range classes {
		s.Classes[k].ExpectedWrong, s.Classes[k].Interval = class.Wrong, correction.Interval{Low: class.Low, High: class.High}
	}
}

// fill writes the files of an audit, summary.json last.
func (a Audit) fill(f *audit.Folder, found *finding, s *audit.Summary) error {
	issues, c := a.issues(found, s.Doubted), len(a.Data.Classes)
	err := cmp.Or(
		f.WriteIssues(issues), f.WriteLabels(a.corrected(issues, audit.Outcomes(found.said))),
		f.WriteProbabilities(found.clean, c), f.WriteNoisy(found.noisy, c),
		f.WriteDuplicates(found.duplicates), f.WriteUnreadable(a.unreadable), f.WriteSums(a.Sums),
	)
	if err == nil && !found.weak {
		err = f.WriteTransition(found.estimation.T)
	}
	if err == nil && found.crowd != nil {
		err = f.WriteCrowd(a.Data.Train, a.Crowd.Answers, found.crowd.Consensus, s.Crowd.Ranked)
	}
	if err == nil && found.crowd != nil && a.Crowd.Ask.Count > 0 {
		err = f.WriteQuestions(a.Data.Train, a.Crowd.Answers, found.crowd.Consensus, found.crowd.asked)
	}
	if err != nil {
		return err
	}
	return f.WriteSummary(s)
}

// issues are the lines of issues.csv, worst first. Where the numbers are doubted, the probability of a label that is
// likelier right says nothing: it is the least that it may be.
func (a Audit) issues(found *finding, doubted bool) (issues []audit.Issue) {
	classes, train := a.Data.Classes, a.Data.Train
	checked := map[int]bool{} // what people know holds whatever the networks are
	for _, t := range slices.Concat(found.trusted, found.random.Known) {
		checked[t.Index] = true
	}
	for _, i := range found.audited.Order() {
		issue := audit.Issue{ID: train.ID(i), Row: i, Given: classes[train.Labels[i]], Suggested: classes[found.audited.Suggested[i]]}
		unsaid := found.weak || doubted && found.audited.Wrong[i] <= judging.LikelyWrong
		if issue.Unjudged = unsaid && !checked[i]; issue.Unjudged {
			issue.Suggested = issue.Given
		} else {
			issue.PWrong = found.audited.Wrong[i]
		}
		if found.unusual != nil {
			issue.Unusual = &found.unusual[i]
		}
		issues = append(issues, issue)
	}
	return issues
}

// corrected are the lines of labels_corrected.csv: what people say, or else the suggested label of one that is likelier
// wrong. One of which people found that several classes fit, or none, stays.
func (a Audit) corrected(issues []audit.Issue, said map[string]audit.Decision) []audit.Label {
	labels := make([]audit.Label, len(issues))
	for _, issue := range issues {
		label := issue.Given
		if issue.PWrong > judging.LikelyWrong {
			label = issue.Suggested
		}
		label, _ = said[issue.ID].Settle(issue.Given, label)
		labels[issue.Row] = audit.Label{ID: issue.ID, Label: label}
	}
	return labels
}
