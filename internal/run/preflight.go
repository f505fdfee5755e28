package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
)

// Preflight reads the data and the matrices that the runs need, so that a broken file
// is one error before any training, not one per run. The error wraps dataset.ErrData, or
// is a *config.ConfigError if settings contradict each other. The last data set that
// was read is kept for Execute.
//
// opt says how data is read and downloaded; opt.Root is replaced by each run's data
// folder. When ctx ends, so does a download, which the next call resumes.
func (p *Pipeline) Preflight(ctx context.Context, configs []config.Config, opt dataset.Options) error {
	p.sources.Lock()
	p.sources.opt = opt
	p.sources.opt.Progress = nil
	p.sources.Unlock()
	networks := map[string]*export.Description{}
	for _, c := range byData(configs) {
		data, err := p.sources.read(ctx, c, opt)
		if err != nil {
			return err
		}
		if config.Exported(c.Model) {
			if networks[c.Model] == nil {
				if networks[c.Model], err = export.Describe(c.Model); err != nil {
					return dataset.Errorf("the network: %w", err)
				}
			}
			if err := networkFits(c, networks[c.Model], data.Train.Shape, len(data.Classes)); err != nil {
				return err
			}
			if err := wordsFit(c, networks[c.Model], data); err != nil {
				return err
			}
		}
		if err := fits(c, data.Train.Len()); err != nil {
			return err
		}
		if err := exist(c, data); err != nil {
			return err
		}
		if err := inputFits(c, data.Train); err != nil {
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

// checkTransitions reports a T of the noise or of the loss that cannot be had or, where
// the loss inverts it, is singular.
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

// byData sorts runs so that each data set is read once. That of the first run is read
// last, so that it is still in memory when the runs start.
func byData(configs []config.Config) []config.Config {
	var keys []string
	groups := map[string][]config.Config{}
	for _, c := range configs {
		key := dataKey(c)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], c)
	}
	slices.Reverse(keys)
	sorted := make([]config.Config, 0, len(configs))
	for _, key := range keys {
		sorted = append(sorted, groups[key]...)
	}
	return sorted
}

// held returns how many of n training examples are kept for validation.
func held(c config.Config, n int) int { return int(float64(n)*c.Validation.Share + .5) }

// Parts returns how many of n training examples a run trains on, and how many it keeps for
// validation. Those of its fold, and those that examples.train leaves out, are in neither.
func Parts(c config.Config, n int) (train, validation int) {
	if c.Examples.Train > 0 {
		n = min(n, c.Examples.Train)
	}
	if c.Folds.Count > 0 {
		n -= n / c.Folds.Count
	}
	validation = held(c, n)
	return n - validation, validation
}

// problems collects the settings that do not fit the data.
type problems []config.Problem

func (p *problems) add(key, format string, args ...any) {
	*p = append(*p, config.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

// fits returns an error if a data set of n training examples is too small for the
// settings.
func fits(c config.Config, n int) error {
	var bad problems
	train, held := Parts(c, n)
	n = train + held
	if !c.DataEntry().Validation && (held < 1 || held >= n) {
		bad.add("validation.share", "%v of %d examples leaves none for training or none for validation", c.Validation.Share,
			n)
	} else if c.BatchSize > train && c.StepsPerEpoch == 0 {
		bad.add("batch_size", "%d is more than the %d training examples that %s has without the validation set: take a "+
			"smaller one", c.BatchSize, train, c.Dataset)
	}
	return config.NewError(bad...)
}

// exist returns an error if more examples are asked for than the data has.
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
			bad.add(of.key, "%d, and %s has %d: take at most these, or 0 for all", of.asked, c.Dataset, of.n)
		}
	}
	return config.NewError(bad...)
}

// Hold gives the pipeline own data that has been read, so that the runs of a configuration do not read
// it again. Features of a backbone or a view are others.
func (p *Pipeline) Hold(c config.Config, d *dataset.Dataset) {
	if c.Source.Backbone != "" || c.Source.View != "" {
		return
	}
	p.sources.Lock()
	defer p.sources.Unlock()
	p.sources.data = map[string]*dataset.Dataset{dataKey(c): d}
}

// read reads a data set, unless it is the one that was read last: of one that came to a
// device since, the content is left out.
func (all *sources) read(ctx context.Context, c config.Config, opt dataset.Options) (*dataset.Dataset, error) {
	all.Lock()
	defer all.Unlock()
	if d := all.seen[dataKey(c)]; d != nil {
		return d, nil
	}
	return all.dataset(ctx, c, opt)
}

// dataset is read for a caller that holds the lock.
func (all *sources) dataset(ctx context.Context, c config.Config, opt dataset.Options) (*dataset.Dataset, error) {
	key := dataKey(c)
	if d := all.data[key]; d != nil {
		return d, nil
	}
	opt.Root = c.Data
	open := func() (*dataset.Dataset, error) { return published.OpenContext(ctx, c.Dataset, opt) }
	switch {
	case encoded(c):
		open = func() (*dataset.Dataset, error) { return all.withFeatures(ctx, c, opt) }
	case c.Source.View != "":
		open = func() (*dataset.Dataset, error) { return all.viewed(ctx, c, opt) }
	case c.DataEntry().Own:
		open = func() (*dataset.Dataset, error) { return own.Read(ctx, c.Source, opt) }
	}
	d, err := open()
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, dataset.Errorf("%w", err)
	}
	all.data = map[string]*dataset.Dataset{key: d}
	return d, nil
}

// encoded reports whether examples become the features of a pretrained network.
func encoded(c config.Config) bool {
	return c.Source.Backbone != "" || views.All.Named(c.Source.View).Encoder != ""
}

// withFeatures reads own images or texts and replaces them by their features. It is called by a
// caller that holds the lock.
func (all *sources) withFeatures(ctx context.Context, c config.Config, opt dataset.Options) (*dataset.Dataset, error) {
	device, err := torch.ParseDevice(c.Device)
	if err != nil {
		return nil, err
	}
	b, err := describeBackbone(c.Source, device)
	if err != nil {
		return nil, err
	}
	if err := b.chooseSide(ctx); err != nil {
		return nil, err
	}
	source := c.Source
	source.Side = b.side
	d, err := own.Read(ctx, source, opt)
	if err != nil {
		return nil, err
	}
	in := inputOf(d)
	if err := b.features(ctx, d, opt.Progress); err != nil {
		return nil, err
	}
	in.Backbone = b.about(d.Train.Shape)
	all.remember(c, in)
	return d, nil
}

func dataKey(c config.Config) string { return fmt.Sprintf("%s\n%s\n%+v", c.Dataset, c.Data, c.Source) }
