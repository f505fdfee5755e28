package find

import (
	"fmt"
	"math"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
)

// prior is the number of pseudo-examples in each row of T-hat, so that no wrong label is impossible only because it
// is rare.
const prior = 1

// estimate estimates T from posteriors of noisy labels.
func (found *finding) estimate(a *work, logits []float32) (err error) {
	e := a.Networks.Estimator
	if a.near != nil {
		p, err := a.withNeighbours(logits, a.Data.Train.Labels)
		if err != nil {
			return err
		}
		logits = logs(p)
	}
	found.estimation, err = estimators.Estimate(a.Data.Classes, logits, a.Data.Train.Labels, estimators.Options{
		Name: e.Name, Quantile: e.Quantile, Kappa: e.Kappa, Average: e.Average, Prior: prior, Trusted: found.trusted,
		Alone: true,
	})
	if err != nil {
		return dataset.Errorf("the estimate of T: %w", err)
	}
	found.Evidence = found.estimation.Evidence(logits)
	if found.Evidence.Shown() {
		found.Warnings = append(found.Warnings, found.estimation.Warnings...)
	}
	return nil
}

// judgeLabels fits the clean posteriors and T to the given labels, and judges them. logits are out of fold;
// corrected means that their networks were trained with the forward loss.
func (a *work) judgeLabels(f *audit.Folder, found *finding, logits []float32, corrected bool) error {
	in := judging.Input{
		Logits: logits, Labels: a.Data.Train.Labels, T: found.Evidence.Of(found.estimation.T), Refit: found.Evidence.Shown(),
		Corrected: corrected, Near: a.near,
		Discriminants: a.discriminants(),
	}
	switch {
	case in.Discriminants != nil:
		found.Posterior += " with neighbours and discriminants"
	case in.Near != nil:
		found.Posterior += " with neighbours"
	}
	if err := found.fit(in, found.Evidence); err != nil {
		return err
	}
	if v := found.Evidence; v.Open && !v.Shown() { // T-hat may hold
		if err := a.tryT(f, found, in); err != nil {
			return err
		}
	}
	a.judge(f, found)
	return nil
}

// fit fits the clean posteriors and T, and sets the model.
func (found *finding) fit(in judging.Input, v estimators.Evidence) error {
	fitted, err := judging.Fit(in)
	if err != nil {
		return fmt.Errorf("%w: %w", dataset.ErrData, err)
	}
	found.Clean, found.T = fitted.G, fitted.T
	found.predicted = correction.Classes(found.Clean, fitted.T.Dim())
	found.model, err = judging.New(fitted.G, in.Labels, fitted.T, v)
	return err
}

// tryT judges the labels by T-hat if random checks show evidence of it: the log likelihood that the answers gain. It
// is called when the labels show none. Without enough checks, labels are still ranked by T-hat.
func (a *work) tryT(f *audit.Folder, found *finding, in judging.Input) error {
	by := *found
	in.T, in.Refit = found.estimation.T, true
	err := by.fit(in, estimators.Evidence{Learned: true})
	if err != nil {
		return err
	}
	a.takeChecks(f, found)
	a.takeChecks(f, &by)
	by.Evidence.Nats, by.Evidence.Share = found.Evidence.Nats+by.random.Likelihood-found.random.Likelihood, 1
	if found.checked() && by.Evidence.Shown() {
		*found = by
		found.model, err = judging.New(by.Clean, in.Labels, by.T, by.Evidence)
		return err
	}
	found.model = found.model.RankedBy(by.model)
	return nil
}

// takeChecks takes the random checks of the folder.
func (a *work) takeChecks(f *audit.Folder, found *finding) {
	counted, warning := f.CountChecked(a.Data, found.log, found.model)
	if warning != "" && !slices.Contains(found.Warnings, warning) {
		found.Warnings = append(found.Warnings, warning)
	}
	found.random = counted
}

// judge judges the labels by the model and people's answers.
func (a *work) judge(f *audit.Folder, found *finding) {
	a.takeChecks(f, found)
	self, c := make([]float32, a.Data.Train.Len()), len(a.Data.Classes)
	for i, y := range a.Data.Train.Labels {
		self[i] = found.Noisy[i*c+y]
	}
	found.Judgement = found.model.Judge(found.random.Pi, found.trusted, self, found.checked())
}

// checked reports whether enough labels were checked at random to rank and correct by w.
func (found *finding) checked() bool {
	return found.random.Checked != nil && found.random.Checked.Checked >= audit.RankChecks
}

// Sources of an audit's clean posterior, for Summary.Posterior.
const (
	givenPosterior     = "given probabilities"
	firstPosterior     = "first networks"
	secondPosterior    = "second networks"
	consensusPosterior = "consensus"
)

const leastPosterior = 1e-9

// logs returns the logarithms of probabilities, which are logits. Probabilities below 1e-9
// count as 1e-9.
func logs(p []float32) []float32 {
	out := make([]float32, len(p))
	for k, v := range p {
		out[k] = float32(math.Log(max(float64(v), leastPosterior)))
	}
	return out
}
