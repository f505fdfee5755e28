package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// transitions are the matrices that are known before training.
type transitions struct {
	injected *correction.Matrix // draws the noisy labels
	nominal  *correction.Matrix // injected, or that of data that come with wrong labels; nil where it is not known
	unknown  error              // why nominal is not known
}

// knownTransitions returns the T of a configuration's noise. Pairs are true and given
// labels of data that come with both; nil of other data.
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
	// Only losses that take T need each of its rows: ofLoss ends their runs where one is
	// missing, the results of others warn.
	nominal, unknown := correction.FromPairs(classes, pairs)
	return transitions{injected: t, nominal: nominal, unknown: unknown}, nil
}

// OwnNoise returns the T by which a noise flips the labels of own data: asymmetric flips
// each class to the next one.
func OwnNoise(n config.Noise, classes []string) (*correction.Matrix, error) {
	return injected(config.Config{Dataset: dataset.OwnName, Noise: n}, classes, nil)
}

// injected is the T by which the noise of a configuration flips labels.
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

// ofLoss is the T that a loss is given, unless it is an estimate: that of a file, or the
// nominal one. A loss without use for T gets one for its classes.
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

// readMatrix reads a T that a user wrote for data of the given classes, in any order.
func readMatrix(path string, classes []string) (*correction.Matrix, error) {
	t, err := correction.ReadMatrixCSV(path)
	if err == nil {
		named := t.Classes()
		if t, err = t.Reorder(classes); err != nil {
			err = fmt.Errorf("%s is for the classes %s, the data has %s", path, strings.Join(named, ", "),
				strings.Join(classes, ", "))
		}
	}
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	return t, nil
}

// labels are those of a training set after noise.
type labels struct {
	transitions
	noisy    []int
	taught   []int              // those that are trained on: noisy, but for Config.Corrected
	realised *correction.Matrix // shares of the labels that were drawn; nil where nominal is
	on       torch.Tensor
}

// newLabels draws the noisy labels.
func newLabels(m *material) (*labels, error) {
	c, s := m.Config, m.source
	known, err := knownTransitions(c, s.classes, s.groups, s.pairs)
	if err != nil {
		return nil, err
	}
	l := &labels{transitions: known, realised: known.nominal}
	if l.noisy, err = known.injected.Corrupt(s.clean, rand.New(m.rng("noise"))); err != nil {
		return l, err
	}
	if l.taught, err = taught(c, l.noisy, s.classes); err != nil || s.pairs != nil && c.Noise.Kind == correction.NoNoise {
		return l, err
	}
	l.realised, err = known.injected.Realised(s.clean, l.noisy)
	return l, err
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

// tensor is the labels that are trained on, on a device, made once.
func (l *labels) tensor(device torch.Device) torch.Tensor {
	if !l.on.Defined() {
		l.on = train.Labels(l.taught, device)
	}
	return l.on
}

// shares returns the share of each label that is trained on.
func (l *labels) shares() []float64 {
	shares := make([]float64, len(l.injected.Classes()))
	for _, y := range l.taught {
		shares[y] += 1 / float64(len(l.taught))
	}
	return shares
}

// info is what the result says of the matrices, t that of the loss.
func (l *labels) info(t *correction.Matrix) *store.TransitionInfo {
	info := &store.TransitionInfo{Classes: l.injected.Classes(), Condition: t.Condition()}
	if l.nominal != nil {
		info.Nominal, info.Realised = l.nominal.Rows(), l.realised.Rows()
	}
	return info
}

// warnings says where T is not known.
func (l *labels) warnings() []string {
	if l.unknown == nil {
		return nil
	}
	return []string{fmt.Sprintf("T of the labels is unknown, and so is the error of an estimate; %s is not written: %v",
		store.TransitionFile, l.unknown)}
}
