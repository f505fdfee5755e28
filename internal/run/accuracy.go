package run

import (
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
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
func (m *material) cleanAccuracy(noise *labels, first *firstRun, loss corrected, estimated *estimators.Estimation,
	model nn.Module) (*store.CleanAccuracy, error) {
	if m.source.test.Len() > 0 || m.Folds.Count > 0 {
		return nil, nil
	}
	held := torch.Slice[int64](m.split(noise).Validation.Index)
	logits, err := train.Logits(model, m.set(noise, held), m.BatchSize)
	if err != nil {
		return nil, err
	}
	t, of, err := m.drawsOfT(noise, first, loss, estimated, model, held, logits)
	if t == nil || err != nil {
		return nil, err
	}
	given := make([]int, len(held))
	for i, row := range held {
		given[i] = noise.noisy[row]
	}
	estimate, interval, err := estimators.CleanAccuracy(correction.Classes(logits, t.Dim()), given, t, of,
		rand.New(m.rng("clean accuracy")))
	if err != nil { // T has no inverse
		return nil, nil //nolint:nilerr // it is a T all the same
	}
	return &store.CleanAccuracy{Estimate: 100 * estimate, Low: 100 * interval.Low, High: 100 * interval.High}, nil
}

// bootstraps is the number of draws of T for the interval of an accuracy.
const bootstraps = 100

// drawsOfT returns T with draws that show how well it is known, by the logits of the
// validation examples held. A T of the loss is taken as it is. T is nil where it cannot be
// estimated.
func (m *material) drawsOfT(noise *labels, first *firstRun, loss corrected, estimated *estimators.Estimation,
	model nn.Module, held []int64, logits []float32) (*correction.Matrix, []*correction.Matrix, error) {
	known := noise.nominal
	if m.LossEntry().T == losses.KnownT || m.Corrected != "" && m.Transition != "" {
		known = loss.t
	}
	if known != nil || estimated == nil {
		return known, slices.Repeat([]*correction.Matrix{known}, bootstraps), nil
	}
	noisy, crossEntropy := logits, m.Loss == losses.FirstLoss
	var triples [][3]int
	var err error
	torch.Scope(func() {
		if !crossEntropy {
			if model, err = first.model(m); err == nil {
				noisy, err = train.Logits(model, m.set(noise, held), m.BatchSize)
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
	return found.T, found.Draws(bootstraps, rand.New(m.rng("intervals"))), nil
}
