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

// cleanAccuracy estimates the selected network's accuracy against true labels from the noisy labels of the validation
// set, for data without a test set. T is the loss's. If the loss has none, or an estimated one, T is estimated again
// from the validation set: networks memorise some wrong labels of the training set, which makes the noise in T-hat too
// low. The result is nil if there is a test set, if T has no inverse, or if the validation set is too small to estimate
// T.
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
		return nil, nil //nolint:nilerr // not an error of the run
	}
	return &store.CleanAccuracy{Estimate: 100 * estimate, Low: 100 * interval.Low, High: 100 * interval.High}, nil
}

// bootstraps is the number of draws of T for an accuracy's interval.
const bootstraps = 100

// drawsOfT returns T and draws around it that show its uncertainty, from the logits of the validation examples held. A
// known T gets no uncertainty. T is nil if it cannot be estimated.
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
		counting.Estimator.Name = "vertices" // its rows are counts, as intervals need
	}
	found, err := counting.estimateFrom(noisy, triples, held)
	if err != nil {
		return nil, nil, nil //nolint:nilerr // too few examples
	}
	return found.T, found.Draws(bootstraps, rand.New(r.rng("intervals"))), nil
}
