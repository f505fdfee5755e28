package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/files"
)

// shares are the shares of wrong labels of Summary.ToCheck.
var shares = []float64{.1, .05, .02, .01, .005}

// confusions bounds Summary.Confusions, asked Summary.Ask.
const (
	confusions = 20
	asked      = 200
)

// summary describes what was found.
func (a Audit) summary(found *finding) Summary {
	given, n := a.Data.Train.Labels, a.Data.Train.Len()
	s := Summary{
		Program: a.Program, Command: a.Command, Source: a.Networks.Source, Files: a.Data.Files,
		Examples: n, Weak: found.weak, Model: a.Networks.Network(), Folds: a.Networks.Folds.Count, Runs: found.runs, Posterior: found.posterior,
		TrustedLabels: len(found.trusted), UnnamedRows: found.estimation.Unnamed, Confusions: []Confusion{},
		Warnings: slices.Concat(found.topWarnings, found.estimation.Warnings, found.warnings, a.Findings, found.alike),
	}
	if found.crowd != nil && !found.crowd.network {
		s.Model, s.Folds = "no network", 0
	}
	if s.Views = found.views; len(found.views) > 0 {
		s.Model = found.views[0].Model
	}
	if a.Probabilities != nil {
		s.Model, s.Folds = "given probabilities", 0
	}
	s.Classes = make([]Class, len(a.Data.Classes))
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
	s.Ask = judging.Ask(found.estimation, found.audited, slices.Concat(found.trusted, found.random.known), asked)
	s.Random, s.Uneven = found.random.checked, found.uneven
	s.Crowd, s.Duplicates = a.crowdSummary(found.crowd), countDuplicates(found.duplicates)
	s.Unreadable = len(a.unreadable)
	order := found.audited.Order()
	s.Measured = measure(found.audited, order, a.Data.Train.Truth, given)
	if !found.weak {
		a.count(found, order, &s)
	} else if s.Measured != nil {
		s.Measured.F1, s.Measured.Corrected = 0, 0 // no label is flagged
	}
	return s
}

// count describes how many labels are wrong, and how labels go wrong.
func (a Audit) count(found *finding, order []int, s *Summary) {
	given, classes := a.Data.Train.Labels, a.Data.Classes
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
	if s.Random != nil {
		a.countChecked(found, s)
	}
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
		s.Confusions = append(s.Confusions, Confusion{classes[kind[0]], classes[kind[1]], count})
	}
	slices.SortFunc(s.Confusions, func(x, y Confusion) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Given, y.Given), cmp.Compare(x.Suggested, y.Suggested))
	})
	s.Confusions = s.Confusions[:min(len(s.Confusions), confusions)]
	for _, share := range shares {
		if share < s.NoiseRate {
			s.ToCheck = append(s.ToCheck, Budget{share, found.audited.Checks(order, share)})
		}
	}
	if found.crowd != nil {
		if found.crowd.network {
			s.CleanAccuracy = 100 * found.crowd.accuracy(found.predicted)
		}
		return
	}
	rng := rand.New(rand.NewPCG(config.Stream(a.Networks.Seed, "accuracy"), 0))
	clean, _, err := judging.CleanAccuracy(found.predicted, given, found.estimation.T, found.intervals.Draws, rng)
	if err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the accuracy on true labels is not known: %v", err))
	}
	s.CleanAccuracy = 100 * clean
}

// countChecked replaces the numbers of wrong labels by those of random checks.
func (a Audit) countChecked(found *finding, s *Summary) {
	n := float64(s.Examples)
	s.ExpectedWrong, s.NoiseRate = s.Random.Wrong, s.Random.Wrong/n
	s.NoiseRateInterval = judging.Interval{Low: s.Random.Interval.Low / n, High: s.Random.Interval.High / n}
	classes, err := found.random.count.ByClass(a.Data.Train.Labels, len(s.Classes))
	if err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("random checks by class: %v", err))
		return
	}
	for k, class := range classes {
		s.Classes[k].ExpectedWrong, s.Classes[k].Interval = class.Wrong, judging.Interval{Low: class.Low, High: class.High}
	}
}

// savingDir holds the files of an audit until all are written.
const savingDir = ".saving"

// save replaces the files of the folder. All are written beside the old ones first, so that a
// full disk leaves the old result whole. Then the old summary.json and report.html go, which
// would describe other files, with the files that not every audit writes, and the new
// summary.json comes last.
func (f *Folder) save(a Audit, found *finding, s *Summary) (err error) {
	next := At(f.Path(savingDir))
	if err := os.RemoveAll(next.dir); err != nil { // of a process that was killed
		return fmt.Errorf("save the audit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(next.dir)) }()
	if err := next.fill(a, found, s); err != nil {
		return err
	}
	for _, name := range append([]string{SummaryFile, ReportFile}, sometimes...) {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	for _, name := range saved {
		err := os.Rename(next.Path(name), f.Path(name))
		if slices.Contains(sometimes, name) && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("replace the audit: %w", err)
		}
		if err := files.Sync(f.Path(name)); err != nil {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	return nil
}

// saved are the files that save replaces, in this order.
var saved = []string{ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile, LikelihoodsFile, AskFile, DuplicatesFile, UnreadableFile, IssuesFile, TransitionFile, ProbabilitiesFile, NoisyFile, LabelsFile, SumsFile, SummaryFile}

// sometimes are the files that not every audit writes: none has the hashes of numbers, nor
// T-hat where the networks are too weak, nor the people where there are no answers of several, nor ask.csv where nobody asks for it, nor
// duplicates.csv and unreadable.csv where there are no such examples.
var sometimes = []string{SumsFile, TransitionFile, ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile, LikelihoodsFile, AskFile, DuplicatesFile, UnreadableFile}

// fill writes the files of an audit.
func (f *Folder) fill(a Audit, found *finding, s *Summary) error {
	classes, train := a.Data.Classes, a.Data.Train
	checked := map[int]bool{} // what people know holds whatever the networks are
	for _, t := range slices.Concat(found.trusted, found.random.known) {
		checked[t.Index] = true
	}
	var issues []Issue
	for _, i := range found.audited.Order() {
		issue := Issue{ID: train.ID(i), Row: i, Given: classes[train.Labels[i]], Suggested: classes[found.audited.Suggested[i]]}
		if issue.Unjudged = found.weak && !checked[i]; !issue.Unjudged {
			issue.PWrong = found.audited.Wrong[i]
		}
		if found.unusual != nil {
			issue.Unusual = &found.unusual[i]
		}
		issues = append(issues, issue)
	}
	labels := make([]Label, train.Len())
	for _, issue := range issues {
		labels[issue.Row] = Label{ID: issue.ID, Label: issue.Given}
		if issue.PWrong > judging.LikelyWrong {
			labels[issue.Row].Label = issue.Suggested
		}
	}
	for _, write := range []func() error{
		func() error { return f.WriteIssues(issues) },
		func() error {
			if found.weak {
				return nil
			}
			return f.WriteTransition(found.estimation.T)
		},
		func() error { return f.WriteProbabilities(found.clean, len(classes)) },
		func() error { return f.WriteNoisy(found.noisy, len(classes)) },
		func() error { return f.WriteLabels(labels) },
		func() error { return f.WriteDuplicates(found.duplicates) },
		func() error { return f.WriteUnreadable(a.unreadable) },
		func() error { return f.writeCrowd(a, found.crowd) },
		func() error { return f.writeAsk(a, found.crowd) },
		func() error {
			if a.Sums == nil {
				return nil
			}
			return f.WriteSums(a.Sums)
		},
		func() error { return f.WriteSummary(s) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}
