package find

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
)

// prior is the number of imagined examples of a row of T-hat: a wrong label that is too
// rare to be counted is not impossible.
const prior = 1

// estimate estimates T from posteriors of noisy labels.
func (found *finding) estimate(a Audit, logits []float32) (err error) {
	e := a.Networks.Estimator
	if a.near != nil {
		p, err := a.sharpen(logits, a.Data.Train.Labels)
		if err != nil {
			return err
		}
		logits = logs(p)
	}
	found.estimation, err = estimators.Estimate(a.Data.Classes, logits, a.Data.Train.Labels, estimators.Options{
		Name: e.Name, Quantile: e.Quantile, Kappa: e.Kappa, Average: e.Average, Prior: prior, Trusted: found.trusted, Alone: true,
	})
	if err != nil {
		return dataset.Errorf("the estimate of T: %w", err)
	}
	found.evidence = found.estimation.Evidence(logits)
	if found.evidence.Shown() {
		found.warnings = append(found.warnings, found.estimation.Warnings...)
	}
	return nil
}

// judgeLabels fits the clean posteriors and T to the given labels, and judges these. logits are of networks that
// have not seen the example; corrected says that they were trained with the forward loss.
func (a Audit) judgeLabels(f *audit.Folder, found *finding, logits []float32, corrected bool) error {
	in := judging.Input{
		Logits: logits, Labels: a.Data.Train.Labels, T: found.evidence.Of(found.estimation.T), Refit: found.evidence.Shown(), Corrected: corrected, Near: a.near,
		Discriminants: a.discriminants(),
	}
	switch {
	case in.Discriminants != nil:
		found.posterior += " with neighbours and discriminants"
	case in.Near != nil:
		found.posterior += " with neighbours"
	}
	fitted, err := judging.Fit(in)
	if err != nil {
		return fmt.Errorf("%w: %w", dataset.ErrData, err)
	}
	found.clean, found.t = fitted.G, fitted.T
	found.predicted = correction.Classes(found.clean, len(a.Data.Classes))
	if found.model, err = judging.New(fitted.G, in.Labels, fitted.T, found.evidence); err != nil {
		return err
	}
	if v := found.evidence; v.Open && !v.Shown() { // T-hat may hold, so that labels are ranked by it
		in.T, in.Refit = found.estimation.T, true
		if fitted, err = judging.Fit(in); err != nil {
			return fmt.Errorf("%w: %w", dataset.ErrData, err)
		}
		ranking, err := judging.New(fitted.G, in.Labels, fitted.T, v)
		if err != nil {
			return err
		}
		found.model = found.model.RankedBy(ranking)
	}
	return a.check(f, found)
}

// check takes the random checks of the folder, and judges the labels by the model and by what people have said.
func (a Audit) check(f *audit.Folder, found *finding) error {
	counted, warning, err := f.CountChecked(a.Data, a.Networks.Source, found.model)
	if err != nil {
		return err
	}
	if warning != "" {
		found.warnings = append(found.warnings, warning)
	}
	found.random = counted
	self, c := make([]float32, a.Data.Train.Len()), len(a.Data.Classes)
	for i, y := range a.Data.Train.Labels {
		self[i] = found.noisy[i*c+y]
	}
	said := slices.Concat(counted.Known, found.trusted)
	found.known = make(map[int]bool, len(said))
	for _, k := range said {
		found.known[k.Index] = true
	}
	found.Judgement = found.model.Judge(counted.Pi, said, self, found.checked())
	return nil
}

// checked reports whether enough labels were checked at random to rank and correct by w.
func (found *finding) checked() bool {
	return found.random.Checked != nil && found.random.Checked.Checked >= audit.RankChecks
}
