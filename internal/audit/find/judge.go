package find

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
)

// prior is the number of imagined examples of a row of T-hat: a wrong label that is too
// rare to be counted is not impossible.
const prior = 1

// estimate estimates T from posteriors of noisy labels.
func (found *finding) estimate(a Audit, logits []float32) (err error) {
	e := a.Networks.Estimator
	found.estimation, err = estimators.Estimate(a.Data.Classes, logits, a.Data.Train.Labels, estimators.Options{
		Name: e.Name, Quantile: e.Quantile, Kappa: e.Kappa, Average: e.Average, Prior: prior, Trusted: found.trusted,
	})
	if err != nil {
		return dataset.Errorf("the estimate of T: %w", err)
	}
	var warning string
	if warning, found.weak = judging.Weak(found.estimation, logits, a.Data.Train.Labels); found.weak {
		found.topWarnings = append(found.topWarnings, warning+". "+a.stronger())
		found.estimation.Warnings = nil // of an estimate that nothing is said of
		return nil
	}
	found.shown = len(a.Data.Classes) == 2 || found.estimation.Shown(logits)
	if found.doubted = found.estimation.Doubt(logits); found.doubted {
		found.estimation.Warnings = nil // of an estimate of which little is said
	}
	var small []string
	for _, k := range found.estimation.Small() {
		small = append(small, a.Data.Classes[k])
	}
	if len(small) > 0 {
		found.warnings = append(found.warnings, fmt.Sprintf("few examples of class %s: how their labels go wrong is known roughly only, see the intervals; give more examples, or join classes",
			humanize.Listed(small, 5)))
	}
	return nil
}

// rank ranks the labels by the noisy posterior, and by the labels of similar examples where these are
// known. clean is that of a second stage, or nil.
func (a Audit) rank(f *audit.Folder, found *finding, clean []float32) (err error) {
	c := len(a.Data.Classes)
	found.clean, found.posterior, found.predicted = found.noisy, noisyPosterior, correction.Classes(found.noisy, c)
	if a.near != nil {
		if err := found.choose(a, clean); err != nil {
			return err
		}
	}
	if found.audited, err = judging.SelfConfidence(found.clean, a.Data.Train.Labels, c); err != nil {
		return err
	}
	if err := a.check(f, found, slices.Clone(found.audited.Wrong)); err != nil {
		return err
	}
	if err := found.rerank(a); err != nil {
		return err
	}
	found.know()
	return nil
}

// rerank ranks the labels of weak networks by T-hat where random checks tell that it ranks them far better. Labels
// of which one class loses many to the other, and labels that go wrong alike of which one class is rare, look the same
// to weak networks; only people can tell whose labels are wrong.
func (found *finding) rerank(a Audit) error {
	if found.random.Count == nil {
		return nil
	}
	t := found.estimation.T
	clean, err := judging.CalibrateClean(logs(found.noisy), a.Data.Train.Labels, t)
	if err != nil {
		return err
	}
	by, err := found.judge(a, clean, t)
	if err != nil {
		return err
	}
	if by.Better(found.audited, found.random.Known) {
		found.audited.RankBy(by)
		found.ranking = t
	}
	return nil
}

// judge judges the labels by clean posteriors and t.
func (found *finding) judge(a Audit, clean []float32, t *correction.Matrix) (*judging.Audited, error) {
	by, err := judging.Audit(clean, a.Data.Train.Labels, t)
	if err == nil {
		by.BreakTies(found.noisy)
	}
	return by, err
}

// choose takes those posteriors of weak networks by which the given labels are the likeliest.
func (found *finding) choose(a Audit, clean []float32) error {
	t := found.estimation.T
	identity, err := correction.Identity(t.Classes())
	if err != nil {
		return err
	}
	noisy, err := a.sharpen(found.noisy, identity)
	if err != nil {
		return err
	}
	var two sharp
	if clean != nil {
		if two, err = a.sharpen(clean, t); err != nil {
			return err
		}
		if err := found.compare(a, clean, two.discriminants); err != nil {
			return err
		}
	}
	how := []string{noisy.how, noisy.how, two.how}
	var kind int
	if found.clean, kind, err = judging.Faint(noisy.g, two.g, a.Data.Train.Labels, t); err != nil {
		return err
	}
	found.posterior = faintPosteriors[kind] + how[kind]
	return nil
}

// broad is the number of imagined examples of a row of T-hat from which on wrong labels are of many classes,
// and labels are ranked by a looser T.
const broad = 20

// judgeLabels ranks the labels by the clean posterior.
func (a Audit) judgeLabels(f *audit.Folder, found *finding) (err error) {
	loose := len(a.Data.Classes) > 2 && found.estimation.Imagined >= broad || judging.Loose(found.clean, a.Data.Train.Labels, found.estimation.T)
	s, err := a.sharpen(found.clean, found.estimation.T)
	if err != nil {
		return err
	}
	if err := found.compare(a, found.clean, s.discriminants); err != nil {
		return err
	}
	found.clean, found.posterior = s.g, found.posterior+s.how
	if err := found.refit(a); err != nil {
		return err
	}
	if s.how != "" {
		a.Note(fmt.Sprintf("the labels of similar examples are evidence, too: %s", strings.TrimPrefix(s.how, " and ")))
	}
	if found.audited, err = found.judge(a, found.clean, found.estimation.T); err != nil {
		return err
	}
	if loose {
		found.audited.Loosen()
	}
	model, err := found.reorder(a)
	if err != nil {
		return err
	}
	found.know()
	rng := rand.New(rand.NewPCG(config.Stream(a.Networks.Seed, "intervals"), 0))
	if found.intervals, err = judging.NewIntervals(found.estimation, found.audited, rng); err != nil {
		return err
	}
	return a.checkAndRecalibrate(f, found, model)
}

// reorder ranks the labels by a T-hat that is unproven, if there is one, and takes the posteriors that are fitted to it.
// What it counts is doubted, and is returned as what random checks recalibrate; elsewhere, that is the judgement.
func (found *finding) reorder(a Audit) ([]float64, error) {
	t := found.estimation.Unproven
	if t == nil {
		return slices.Clone(found.audited.Wrong), nil
	}
	clean, err := judging.CalibrateClean(logs(found.noisy), a.Data.Train.Labels, t)
	if err != nil {
		return nil, err
	}
	s, err := a.sharpen(clean, t)
	if err != nil {
		return nil, err
	}
	r, err := estimators.Refit(s.g, a.Data.Train.Labels, t, false)
	if err != nil {
		return nil, err
	}
	by, err := found.judge(a, r.G, r.T)
	if err != nil {
		return nil, err
	}
	found.audited.RankBy(by)
	if strings.HasPrefix(found.posterior, secondPosterior) {
		found.posterior = firstPosterior + s.how
	}
	found.clean, found.ranking = r.G, r.T
	return by.Wrong, nil
}

// refit fits T and the clean posteriors to all labels together, where these show that any are wrong, and that T may
// describe how. Fitted to mistakes at hard examples, T would say fewer still. Of two classes it is enough that T-hat is
// not doubted.
func (found *finding) refit(a Audit) error {
	if found.doubted || found.uneven != nil && found.uneven.Noticed || !found.shown {
		return nil
	}
	r, err := estimators.Refit(found.clean, a.Data.Train.Labels, found.estimation.T, found.estimation.Fitted)
	if err == nil {
		found.clean, found.estimation.T = r.G, r.T
	}
	return err
}

// checkAndRecalibrate takes random checks of the labels, and has them correct the probabilities of the model.
func (a Audit) checkAndRecalibrate(f *audit.Folder, found *finding, model []float64) error {
	if err := a.check(f, found, model); err != nil {
		return err
	}
	known := "Counts are at the low end of their ranges: check some at random to know"
	if count := found.random.Count; count != nil {
		known = "Counts are those of the random checks, and how labels go wrong is not known: T-hat is the low end of what is possible"
		if t := found.ranking; t != nil && math.Abs(count.Wrong-floats.Sum(model)) < math.Abs(count.Wrong-found.audited.ExpectedWrong) {
			found.estimation.T, found.ranking, found.doubted = t, nil, false // the checks bear it out
			found.random.Checked.Misfit = count.Misfit()
			found.intervals.Include(t)
		}
		found.audited.Recalibrate(count.Probabilities)
		found.know()
	}
	if found.doubted {
		found.warnings = append(found.warnings, "the given labels show no wrong ones: labels without mistakes, and networks that do not know everything, explain them as well. "+known)
	}
	return nil
}

// know takes a person's word in place of the model's.
func (found *finding) know() {
	for _, t := range slices.Concat(found.random.Known, found.trusted) {
		found.audited.Know(t)
	}
}
