package run

import (
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// cleanAccuracy estimates the accuracy of the selected network against true labels from
// the noisy labels of the validation set, where there is no test set. T is that of the
// loss or, where the loss has none or an estimate, estimated again from the validation set
// alone: networks know some wrong labels of the training set by heart, which makes the
// noise of T-hat too small. It is nil where there is a test set, where T has no inverse, and
// where the validation set is too small to estimate T.
func (r *run) cleanAccuracy() (*store.CleanAccuracy, error) {
	if r.source.sets.Test.Len() > 0 || r.Folds.Count > 0 {
		return nil, nil
	}
	held := torch.Slice[int](r.split().Validation.Index)
	logits, err := train.Logits(r.model, r.set(held), r.BatchSize)
	if err != nil {
		return nil, err
	}
	t, of, err := r.drawsOfT(held, logits)
	if t == nil || err != nil {
		return nil, err
	}
	estimate, interval, err := estimators.CleanAccuracy(correction.Classes(logits, t.Dim()), dataset.Pick(r.noisy, held),
		t, of, rand.New(r.rng("clean accuracy")))
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
func (r *run) drawsOfT(held []int, logits []float32) (*correction.Matrix, []*correction.Matrix, error) {
	known := r.nominal
	if r.LossEntry().T == losses.KnownT || r.Corrected != "" && r.Transition != "" {
		known = r.t
	}
	if known != nil || r.estimated == nil {
		return known, slices.Repeat([]*correction.Matrix{known}, bootstraps), nil
	}
	noisy, model := logits, r.model
	var triples [][3]int
	var err error
	torch.Scope(func() {
		if r.Loss != losses.FirstLoss {
			if model, err = r.firstModel(); err == nil {
				noisy, err = train.Logits(model, r.set(held), r.BatchSize)
			}
		}
		if err == nil {
			triples, err = r.triples(model, held)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	counting := *r
	if estimators.All.Named(r.Estimator.Name).Held {
		counting.Estimator.Name = "vertices" // whose rows are counts, which intervals need
	}
	found, err := counting.estimateFrom(noisy, triples, held)
	if err != nil {
		return nil, nil, nil //nolint:nilerr // too few examples
	}
	return found.T, found.Draws(bootstraps, rand.New(r.rng("intervals"))), nil
}
