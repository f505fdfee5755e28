package run

import (
	"context"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
)

// viewed reads own data and replaces it by the features of its view. It is called by a
// caller that holds the lock.
func (all *sources) viewed(ctx context.Context, c config.Config, opt dataset.Options) (*dataset.Dataset, error) {
	d, err := own.Read(ctx, c.Source, opt)
	if err != nil {
		return nil, err
	}
	state, err := views.Fit(c.Source.View, d.Train)
	if err != nil {
		return nil, err
	}
	for _, split := range d.Splits() {
		if split.Len() == 0 {
			continue
		}
		if err := state.Apply(ctx, split); err != nil {
			return nil, err
		}
	}
	in := inputOf(d)
	in.View = state
	all.remember(c, in)
	return d, nil
}

// remember keeps how the examples of a data set become the input of its networks.
func (all *sources) remember(c config.Config, in store.Input) {
	if all.images == nil {
		all.images = map[string]store.Input{}
	}
	all.images[dataKey(c)] = in
}

// Features returns the features [N D] that the encoder of a configuration's view or its backbone gives of the training,
// the validation and the test examples, row by row, nil of an empty split; nil where there is neither. They come
// from the cache where a run has needed them.
func Features(ctx context.Context, c config.Config, opt dataset.Options) ([][]float32, error) {
	if !encoded(c) {
		return nil, nil
	}
	var all sources
	d, err := all.withFeatures(ctx, c, opt)
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	var features [][]float32
	for _, split := range d.Splits() {
		features = append(features, split.Features)
	}
	return features, nil
}
