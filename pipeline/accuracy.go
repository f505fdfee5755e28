package pipeline

import (
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/training"
)

// cleanAccuracy estimates the accuracy of the selected network against true labels from
// the noisy labels of the validation set, where there is no test set. It is nil where
// there is one, where T is not known, or where T has no inverse.
func (e *execution) cleanAccuracy() (*store.CleanAccuracy, error) {
	if e.source.test.Len() > 0 || e.Config.Folds.Count > 0 {
		return nil, nil
	}
	t, draws, err := e.drawsOfT()
	if t == nil || err != nil {
		return nil, err
	}
	if _, singular := t.Inverse(); singular != nil {
		return nil, nil
	}
	held := e.data().Validation
	logits, err := training.Logits(e.model, held, evaluationBatches*e.Config.BatchSize)
	if err != nil {
		return nil, err
	}
	given := make([]int, 0, held.Len())
	for _, row := range torch.Slice[int64](held.Index) {
		given = append(given, e.noise.noisy[row])
	}
	rng := rand.New(e.rng("clean accuracy"))
	estimate, interval, err := correction.CleanAccuracy(correction.Classes(logits, t.Dim()), given, t, draws, rng)
	return &store.CleanAccuracy{Estimate: 100 * estimate, Low: 100 * interval.Low, High: 100 * interval.High}, err
}

// drawsOfT returns T with draws that show how well it is known: T-hat of this run with
// those of its intervals, or the T of the loss, which is taken as it is. T is nil where
// nothing is known of it.
func (e *execution) drawsOfT() (*correction.Matrix, []*correction.Matrix, error) {
	const same = 100 // draws, as of Intervals
	known := e.t
	switch {
	case e.estimated != nil:
		known = e.estimated.T
	case e.Config.LossEntry().T != correction.KnownT:
		known = e.noise.nominal
	}
	if e.estimated == nil || known == nil {
		return known, slices.Repeat([]*correction.Matrix{known}, same), nil
	}
	estimated, err := e.estimated, error(nil)
	if e.Config.Loss != correction.FirstLoss { // T-hat of a result has no intervals
		if estimated, err = e.readOffFirst(); err != nil {
			return nil, nil, err
		}
	}
	rows := e.rows()
	logits, err := training.Logits(e.model, e.set(rows), evaluationBatches*e.Config.BatchSize)
	if err != nil {
		return nil, nil, err
	}
	clean := correction.Softmax(logits, known.Dim())
	if e.Config.Loss == correction.FirstLoss { // its posteriors are those of noisy labels
		if clean, err = correction.CleanPosteriors(clean, known); err != nil {
			return nil, nil, err
		}
	}
	given := make([]int, len(rows))
	for i, row := range rows {
		given[i] = e.noise.noisy[row]
	}
	judged, err := correction.Audit(clean, given, known)
	if err != nil {
		return nil, nil, err
	}
	intervals, err := estimated.Intervals(judged, rand.New(e.rng("intervals")))
	if err != nil { // another estimator than vertices, whose rows are no counts
		return known, slices.Repeat([]*correction.Matrix{known}, same), nil //nolint:nilerr // without intervals of T
	}
	return known, intervals.Draws, nil
}
