package run

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// transitions holds the matrices known before training.
type transitions struct {
	injected *correction.Matrix // draws the noisy labels
	nominal  *correction.Matrix // injected, or known for data with wrong labels; nil if unknown
	unknown  error              // why nominal is unknown
}

// knownTransitions returns the T of a configuration's noise. Pairs are the true and given labels of data that has both,
// else nil.
func knownTransitions(c config.Config, classes []string, groups []int, pairs [][2]int) (transitions, error) {
	t, err := injected(c, classes, groups)
	switch {
	case err != nil:
		return transitions{}, err
	case c.DataEntry().Own && pairs == nil && c.Noise.Kind == correction.NoNoise:
		return transitions{injected: t, unknown: errors.New("the data has no column of true labels (source.truth)")}, nil
	case pairs == nil || c.Noise.Kind != correction.NoNoise:
		return transitions{injected: t, nominal: t}, nil
	}
	// Only losses that take T need every row. ofLoss fails if one is missing; other runs only warn.
	nominal, unknown := correction.FromPairs(classes, pairs)
	return transitions{injected: t, nominal: nominal, unknown: unknown}, nil
}

// OwnNoise returns the T of noise on own data. Asymmetric noise flips each class to the next one.
func OwnNoise(n config.Noise, classes []string) (*correction.Matrix, error) {
	return injected(config.Config{Dataset: dataset.OwnName, Noise: n}, classes, nil)
}

// injected returns the T of a configuration's noise.
func injected(c config.Config, classes []string, groups []int) (*correction.Matrix, error) {
	kind := correction.Noises.Named(c.Noise.Kind)
	if kind.File {
		return readMatrix(c.Noise.File, classes)
	}
	var flips []correction.Flip
	switch c.Noise.Groups {
	case config.SuperClasses:
		flips = correction.CircularFlips(classes, groups)
	case config.ByIndex:
		flips = correction.CircularFlips(classes, correction.Blocks(len(classes), 5))
	default:
		if c.DataEntry().Own {
			flips = correction.CircularFlips(classes, make([]int, len(classes)))
		}
		flips = append(flips, c.DataEntry().Flips...)
	}
	return kind.T(classes, c.Noise.Level, flips)
}

// ofLoss returns the T for a loss that does not estimate it: from a file, or the nominal one. A loss that uses no T
// gets the injected one, for its classes.
func (t transitions) ofLoss(c config.Config) (*correction.Matrix, error) {
	switch {
	case c.Transition != "":
		return readMatrix(c.Transition, t.injected.Classes())
	case t.nominal != nil:
		return t.nominal, nil
	case c.LossEntry().T == losses.KnownT:
		return nil, dataset.Errorf("%w; give T as a CSV file instead (transition)", t.unknown)
	}
	return t.injected, nil
}

// readMatrix reads a user's T for data with the given classes, in any order.
func readMatrix(path string, classes []string) (*correction.Matrix, error) {
	t, err := correction.ReadMatrixCSV(path)
	if err == nil {
		named := t.Classes()
		if t, err = t.Reorder(classes); err != nil {
			err = fmt.Errorf("%s is for the classes %s, but the data has %s", path, strings.Join(named, ", "),
				strings.Join(classes, ", "))
		}
	}
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	return t, nil
}

// drawLabels draws the noisy labels.
func (r *run) drawLabels() (err error) {
	c, s := r.Config, r.source
	pairs := pairsOf(s.Dataset)
	if r.transitions, err = knownTransitions(c, s.Classes, s.Groups, pairs); err != nil {
		return err
	}
	if r.noisy, err = r.injected.Corrupt(s.Train.Labels, rand.New(r.rng("noise"))); err != nil {
		return err
	}
	if r.taught, err = taught(c, r.noisy, s.Classes); err != nil {
		return err
	}
	r.labels = train.Labels(r.taught, r.device)
	if r.realised = r.nominal; pairs == nil || c.Noise.Kind != correction.NoNoise {
		r.realised, err = r.injected.Realised(s.Train.Labels, r.noisy)
	}
	return err
}

// taught returns the labels that a configuration trains on.
func taught(c config.Config, noisy []int, classes []string) ([]int, error) {
	if c.Corrected == "" {
		return noisy, nil
	}
	corrected, err := correction.ReadTrustedCSV(c.Corrected, len(noisy), classes)
	if err != nil {
		return nil, dataset.Errorf("corrected: %w", err)
	}
	labels := slices.Clone(noisy)
	for _, l := range corrected {
		labels[l.Index] = l.Label
	}
	return labels, nil
}

// shares returns the share of each label in training.
func (r *run) shares() []float64 {
	shares := make([]float64, len(r.injected.Classes()))
	for _, y := range r.taught {
		shares[y] += 1 / float64(len(r.taught))
	}
	return shares
}

// describeTransitions describes the matrices in the result: T, the loss's matrix, T-hat, and the T that the loss
// learned, unless it diverged.
func (r *run) describeTransitions() *store.TransitionInfo {
	info := &store.TransitionInfo{Classes: r.injected.Classes(), Condition: metrics.Number(r.t.Condition())}
	if r.nominal != nil {
		info.Nominal, info.Realised = r.nominal.Rows(), r.realised.Rows()
	}
	if r.estimated != nil {
		t := r.estimated.T
		info.Estimated, info.EstimateError, info.Disagreement = t.Rows(), r.distance(t), r.estimated.Disagreement
		info.NamedBy, info.RowsPermuted = namedBy(r.Config), r.nominal != nil && correction.RowsPermuted(t, r.nominal)
	}
	if learner, ok := r.loss.(losses.Learner); ok {
		if t := learner.Learned(); !slices.ContainsFunc(slices.Concat(t.Rows()...), math.IsNaN) {
			info.Learned, info.LearnedError = t.Rows(), r.distance(t)
		}
	}
	return info
}

// distance returns the error of an estimate of T, NaN if T is unknown.
func (r *run) distance(t *correction.Matrix) metrics.Number {
	if r.nominal == nil {
		return metrics.Number(math.NaN())
	}
	return metrics.Number(correction.RowError(t, r.nominal))
}

// transitionWarnings warns if T is unknown, or if it corrects nothing.
func (r *run) transitionWarnings() (warnings []string) {
	if r.unknown != nil {
		warnings = append(warnings, fmt.Sprintf("T is unknown, so the error of its estimate is, too, and %s is not "+
			"written: %v", store.TransitionFile, r.unknown))
	}
	if r.LossEntry().T == losses.KnownT && r.t.IsIdentity() {
		warnings = append(warnings, fmt.Sprintf("T is the identity, so %s equals cross-entropy and does not test the "+
			"correction", r.Loss))
	}
	return warnings
}
