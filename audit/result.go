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
	"github.com/losscorr/losscorr/correction"
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
func (a Audit) summary(found *finding) (Summary, error) {
	given, classes, n := a.Data.Train.Labels, a.Data.Classes, a.Data.Train.Len()
	s := Summary{
		Program: a.Program, Command: a.Command, Source: a.Networks.Source, Files: a.Data.Files,
		Examples: n, NoiseRate: found.audited.ExpectedWrong / float64(n), ExpectedWrong: found.audited.ExpectedWrong,
		NoiseRateInterval: Interval(found.intervals.NoiseRate), Flagged: found.audited.Flagged(),
		T: found.estimation.T.Rows(), Model: a.Networks.Network(), Folds: a.Networks.Folds.Count, Runs: found.runs, Posterior: found.posterior,
		Disagreement: found.estimation.Disagreement, TrustedLabels: len(found.trusted), UnnamedRows: found.estimation.Unnamed,
		Warnings: slices.Concat(found.warnings, found.estimation.Warnings, a.Findings),
	}
	if a.Probabilities != nil {
		s.Model, s.Folds = "given probabilities", 0
	}
	for _, row := range found.intervals.T {
		low, high := make([]float64, len(row)), make([]float64, len(row))
		for j, v := range row {
			low[j], high[j] = v.Low, v.High
		}
		s.TLow, s.THigh = append(s.TLow, low), append(s.THigh, high)
	}
	s.Classes = make([]Class, len(classes))
	for k, name := range classes {
		s.Classes[k] = Class{Name: name, ExpectedWrong: found.audited.ExpectedByClass[k], Interval: Interval(found.intervals.Wrong[k])}
	}
	right := 0
	kinds := map[[2]int]int{}
	for i, y := range given {
		s.Classes[y].Examples++
		if found.audited.Wrong[i] > .5 {
			s.Classes[y].Flagged++
			if k := found.audited.Suggested[i]; k != y { // else several others are likelier together only
				kinds[[2]int{y, k}]++
			}
		}
		if found.predicted[i] == y {
			right++
		}
	}
	s.Confusions = []Confusion{}
	for kind, count := range kinds {
		s.Confusions = append(s.Confusions, Confusion{classes[kind[0]], classes[kind[1]], count})
	}
	slices.SortFunc(s.Confusions, func(x, y Confusion) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Given, y.Given), cmp.Compare(x.Suggested, y.Suggested))
	})
	s.Confusions = s.Confusions[:min(len(s.Confusions), confusions)]
	order := found.audited.Order()
	for _, share := range shares {
		if share < s.NoiseRate {
			s.ToCheck = append(s.ToCheck, Budget{share, found.audited.Checks(order, share)})
		}
	}
	s.GivenAccuracy = 100 * float64(right) / float64(n)
	rng := rand.New(rand.NewPCG(config.Stream(a.Networks.Seed, "accuracy"), 0))
	clean, _, err := correction.CleanAccuracy(found.predicted, given, found.estimation.T, found.intervals.Draws, rng)
	if err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the accuracy on true labels is not known: %v", err))
	}
	s.CleanAccuracy = 100 * clean
	s.Ask = found.estimation.Ask(found.audited, found.trusted, asked)
	s.Measured = measure(found.audited, order, a.Data.Train.Truth, given)
	return s, nil
}

// savingDir holds the files of an audit until all are written.
const savingDir = ".saving"

// save replaces the files of the folder. All are written beside the old ones first, so that a
// full disk leaves the old result whole. Then the old summary.json and report.html go, which
// would describe other files, with content_hashes.npy, which not every audit writes, and the new summary.json comes last.
func (f *Folder) save(a Audit, found *finding, s *Summary) (err error) {
	next := At(f.Path(savingDir))
	if err := os.RemoveAll(next.dir); err != nil { // of a process that was killed
		return fmt.Errorf("save the audit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(next.dir)) }()
	if err := next.fill(a, found, s); err != nil {
		return err
	}
	for _, name := range []string{SummaryFile, ReportFile, SumsFile} {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	for _, name := range saved {
		err := os.Rename(next.Path(name), f.Path(name))
		if name == SumsFile && errors.Is(err, fs.ErrNotExist) { // of numbers
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
var saved = []string{IssuesFile, TransitionFile, ProbabilitiesFile, NoisyFile, LabelsFile, SumsFile, SummaryFile}

// fill writes the files of an audit.
func (f *Folder) fill(a Audit, found *finding, s *Summary) error {
	classes, train := a.Data.Classes, a.Data.Train
	var issues []Issue
	for _, i := range found.audited.Order() {
		issues = append(issues, Issue{
			ID: train.ID(i), Row: i, Given: classes[train.Labels[i]], Suggested: classes[found.audited.Suggested[i]], PWrong: found.audited.Wrong[i],
		})
	}
	labels := make([]Label, train.Len())
	for _, issue := range issues {
		labels[issue.Row] = Label{ID: issue.ID, Label: issue.Given}
		if issue.PWrong > .5 {
			labels[issue.Row].Label = issue.Suggested
		}
	}
	for _, write := range []func() error{
		func() error { return f.WriteIssues(issues) },
		func() error { return f.WriteTransition(found.estimation.T) },
		func() error { return f.WriteProbabilities(found.clean, len(classes)) },
		func() error { return f.WriteNoisy(found.noisy, len(classes)) },
		func() error { return f.WriteLabels(labels) },
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
