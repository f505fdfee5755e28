package run

import (
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// cleanAccuracy estimates the accuracy of the selected network against true labels from
// the noisy labels of the validation set, where there is no test set. T is that of the
// loss or, where the loss has none or an estimate, estimated again from the validation set
// alone: networks know some wrong labels of the training set by heart, which makes the
// noise of T-hat too small. It is nil where there is a test set, where T has no inverse, and
// where the validation set is too small to estimate T.
func (m *material) cleanAccuracy(noise *labels, first *firstRun, loss corrected, estimated *estimators.Estimation, model nn.Module) (*store.CleanAccuracy, error) {
	if m.source.test.Len() > 0 || m.Folds.Count > 0 {
		return nil, nil
	}
	held := torch.Slice[int64](m.split(noise).Validation.Index)
	logits, err := train.Logits(model, m.set(noise, held), evaluationBatches*m.BatchSize)
	if err != nil {
		return nil, err
	}
	t, draws, err := m.drawsOfT(noise, first, loss, estimated, model, held, logits)
	if t == nil || err != nil {
		return nil, err
	}
	given := make([]int, len(held))
	for i, row := range held {
		given[i] = noise.noisy[row]
	}
	estimate, interval, err := judging.CleanAccuracy(correction.Classes(logits, t.Dim()), given, t, draws, rand.New(m.rng("clean accuracy")))
	if err != nil { // T has no inverse
		return nil, nil //nolint:nilerr // it is a T all the same
	}
	return &store.CleanAccuracy{Estimate: 100 * estimate, Low: 100 * interval.Low, High: 100 * interval.High}, nil
}

// drawsOfT returns T with draws that show how well it is known, by the logits of the
// validation examples held. A T of the loss is taken as it is. T is nil where it cannot be
// estimated.
func (m *material) drawsOfT(noise *labels, first *firstRun, loss corrected, estimated *estimators.Estimation, model nn.Module, held []int64, logits []float32) (*correction.Matrix, []*correction.Matrix, error) {
	known := noise.nominal
	if m.LossEntry().T == losses.KnownT || m.Corrected != "" && m.Transition != "" {
		known = loss.t
	}
	if known != nil || estimated == nil {
		return known, slices.Repeat([]*correction.Matrix{known}, 100), nil
	}
	noisy, crossEntropy := logits, m.Loss == losses.FirstLoss
	var triples [][3]int
	var err error
	torch.Scope(func() {
		if !crossEntropy {
			if model, err = first.model(m); err == nil {
				noisy, err = train.Logits(model, m.set(noise, held), evaluationBatches*m.BatchSize)
			}
		}
		if err == nil {
			triples, err = m.triples(noise, model, held)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	counting := *m
	if estimators.All.Named(m.Estimator.Name).Held {
		counting.Estimator.Name = "vertices" // whose rows are counts, which intervals need
	}
	found, err := counting.estimateFrom(noise, noisy, triples, held)
	if err != nil {
		return nil, nil, nil //nolint:nilerr // too few examples
	}
	clean := correction.Softmax(logits, found.T.Dim())
	if crossEntropy { // its posteriors are those of noisy labels
		if clean, err = judging.CleanPosteriors(clean, found.T); err != nil {
			return nil, nil, nil //nolint:nilerr // T has no inverse
		}
	}
	given := make([]int, len(held))
	for i, row := range held {
		given[i] = noise.noisy[row]
	}
	judged, err := judging.Audit(clean, given, found.T)
	if err != nil {
		return nil, nil, err
	}
	intervals, err := judging.NewIntervals(found, judged, rand.New(m.rng("intervals")))
	if err != nil { // an estimator whose rows are no counts
		return found.T, slices.Repeat([]*correction.Matrix{found.T}, 100), nil //nolint:nilerr // without intervals of T
	}
	return found.T, intervals.Draws, nil
}
