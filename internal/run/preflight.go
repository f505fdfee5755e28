package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/torch/export"
)

// Preflight reads the data and matrices that the runs need, so that a broken file gives one error before any training,
// not one for each run. The error wraps dataset.ErrData, or is a *config.ConfigError if settings contradict each other.
// The data set read last is kept for Execute.
//
// opt configures reading and downloading; each run's data folder replaces opt.Root. When ctx ends, downloads stop, and
// the next call resumes them.
func (p *Pipeline) Preflight(ctx context.Context, configs []config.Config, opt dataset.Options) error {
	p.mutex.Lock()
	p.opt = opt
	p.opt.Progress = nil
	p.mutex.Unlock()
	if err := oneMode(configs); err != nil {
		return err
	}
	networks := map[string]*export.Description{}
	for _, c := range byData(configs) {
		data, err := p.dataset(ctx, c, opt)
		if err != nil {
			return err
		}
		if config.Exported(c.Model) {
			if networks[c.Model] == nil {
				if networks[c.Model], err = export.Describe(c.Model); err != nil {
					return dataset.Errorf("the network: %w", err)
				}
			}
			d := networks[c.Model]
			if err := cmp.Or(networkFits(c, d, data.Train.Shape, len(data.Classes)), wordsFit(c, d, data)); err != nil {
				return err
			}
		}
		if err := cmp.Or(fits(c, data.Train.Len()), exist(c, data), inputFits(c, data.Train)); err != nil {
			return err
		}
		if _, err := trustedLabels(c, trueLabels(c, data.Train.Labels, data.Train.Truth), data.Classes); err != nil {
			return err
		}
		if err := checkTransitions(c, data); err != nil {
			return err
		}
		if c.LossEntry().Targets {
			if _, err := readTargets(c, data.Train.Len(), len(data.Classes)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTransitions reports a T of the noise or the loss that is unavailable or, if the loss inverts it, singular.
func checkTransitions(c config.Config, data *dataset.Dataset) error {
	known, err := knownTransitions(c, data.Classes, data.Groups, pairsOf(data))
	if err != nil || c.LossEntry().T != losses.KnownT {
		return err
	}
	t, err := known.ofLoss(c)
	if err != nil || !c.LossEntry().Inverts {
		return err
	}
	if err = t.Invertible(); err == nil {
		return nil
	}
	switch {
	case c.Transition != "":
		return dataset.Errorf("%s: %w", c.Transition, err)
	case data.Pairs != nil:
		return dataset.Errorf("T of %s: %w", c.Dataset, err)
	case c.Noise.File != "":
		return dataset.Errorf("%s: %w", c.Noise.File, err)
	}
	return config.NewError(config.Problem{Key: "loss", Text: fmt.Sprintf("%s with %s noise of level %v: %v", c.Loss,
		c.Noise.Kind, c.Noise.Level, err)})
}

// byData sorts runs so that each data set is read once. The first run's is read last, so that it is still in memory
// when the runs start.
func byData(configs []config.Config) []config.Config {
	first := map[string]int{}
	for i, c := range slices.Backward(configs) {
		first[dataKey(c)] = i
	}
	sorted := slices.Clone(configs)
	slices.SortStableFunc(sorted, func(a, b config.Config) int { return first[dataKey(b)] - first[dataKey(a)] })
	return sorted
}

// validationSize returns how many of n training examples are held out for validation.
func validationSize(c config.Config, n int) int { return int(float64(n)*c.Validation.Share + .5) }

// Parts returns how many of n training examples a run trains on, and how many it holds out for validation. Its fold and
// the examples beyond examples.train are in neither.
func Parts(c config.Config, n int) (train, validation int) {
	if c.Examples.Train > 0 {
		n = min(n, c.Examples.Train)
	}
	if c.Folds.Count > 0 {
		n -= n / c.Folds.Count
	}
	validation = validationSize(c, n)
	return n - validation, validation
}

// problems collects settings that do not fit the data.
type problems []config.Problem

func (p *problems) add(key, format string, args ...any) {
	*p = append(*p, config.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

// fits returns an error if n training examples are too few for the settings.
func fits(c config.Config, n int) error {
	var bad problems
	train, held := Parts(c, n)
	n = train + held
	if !c.DataEntry().Validation && (held < 1 || held >= n) {
		bad.add("validation.share", "%v of %d examples leaves none for training or none for validation", c.Validation.Share,
			n)
	} else if c.BatchSize > train && c.StepsPerEpoch == 0 {
		bad.add("batch_size", "%d is more than the %d training examples that %s has without the validation set: set it to "+
			"less", c.BatchSize, train, c.Dataset)
	}
	return config.NewError(bad...)
}

// exist returns an error if the configuration asks for more examples than there are.
func exist(c config.Config, data *dataset.Dataset) error {
	var bad problems
	for _, of := range []struct {
		key      string
		asked, n int
	}{
		{"examples.train", c.Examples.Train, data.Train.Len()}, {"examples.test", c.Examples.Test, data.Test.Len()},
		{"examples.validation", c.Examples.Validation, data.Validation.Len()},
	} {
		if of.asked > of.n && of.n > 0 {
			bad.add(of.key, "%d, but %s has %d: set it to at most that, or to 0 for all", of.asked, c.Dataset, of.n)
		}
	}
	return config.NewError(bad...)
}
