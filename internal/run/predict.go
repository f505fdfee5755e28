package run

import (
	"context"
	"fmt"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// inputOf describes how examples of a data set become the input of a network, without the moments of preprocessing.
func inputOf(data *dataset.Dataset) store.Input {
	in := store.Input{Classes: data.Classes, Shape: data.Train.Shape, Type: store.Bytes, Columns: data.Columns,
		Words: data.Ranked, Vocabulary: len(data.Words)}
	switch {
	case data.Train.Tokens != nil:
		in.Type = store.Words
	case data.Train.Texts != nil:
		in.Type = store.Texts
	case data.Train.Sparse != nil || data.Train.Features != nil || data.Train.Halves != nil:
		in.Type = store.Numbers
	}
	return in
}

// Network is a trained network: the selected weights of a run, with everything needed to judge new examples. A network
// FILE.pt2 and a backbone stay separate files, at the configuration's paths.
type Network struct {
	Config config.Config
	Input  store.Input
	path   string
}

// OpenNetwork reads the network's description from a file of selected weights, train.BestFile. The error wraps
// dataset.ErrData.
func OpenNetwork(path string) (*Network, error) {
	n := &Network{path: path}
	metadata, err := torch.SafetensorsMetadata(path)
	if err == nil {
		n.Config, n.Input, err = store.ParseWeightsMetadata(metadata)
	}
	if err == nil && n.Input.Type == store.Words && len(n.Input.Words) == 0 {
		err = fmt.Errorf("it has no vocabulary: only networks trained on own texts can be used")
	}
	if err == nil {
		if wrong := n.Config.ValidateNetwork(); wrong != nil {
			err = fmt.Errorf("its metadata are damaged: %v", wrong) //nolint:errorlint // bad data, not a bad configuration
		}
	}
	if err != nil {
		return nil, dataset.Errorf("the network of %s: %w", path, err)
	}
	return n, nil
}

// Form returns the form that new examples must have.
func (n *Network) Form() own.Form {
	if n.Input.View != nil || n.Input.Type == store.Texts {
		return own.Form{Shape: []int{1}, Texts: true}
	}
	return own.Form{Shape: n.Input.Shape, Bytes: n.Input.Type == store.Bytes, Words: n.Input.Words,
		Vocabulary: n.Input.Vocabulary}
}

// Predict returns the network's logits [N C] for new examples, computed as in training, with the preprocessing,
// precision and batch size of its evaluations. progress, which may be nil, reports a backbone's progress. The error
// wraps dataset.ErrData if a file is damaged.
func (n *Network) Predict(ctx context.Context, examples dataset.Split, device torch.Device,
	progress func(what string, done, total int)) (logits []float32, err error) {
	if n.Input.Backbone != nil {
		b, err := describeBackbone(n.Config.Source, device)
		if err == nil {
			err = b.ofNew(ctx, &examples, *n.Input.Backbone, progress)
		}
		if err != nil {
			return nil, dataset.Errorf("the backbone: %w", err)
		}
	}
	if v := n.Input.View; v != nil {
		if err := v.Apply(ctx, &examples); err != nil {
			return nil, dataset.Errorf("the view %s: %w", v.Name, err)
		}
	}
	err = scoped(func() error {
		r, err := newRun(n.Config, device, &source{
			loaded: loaded{
				Dataset: &dataset.Dataset{Classes: n.Input.Classes, Train: dataset.Split{Shape: examples.Shape}},
				input:   n.Input,
			},
			prepare: preparation(n.Input.Shift, n.Input.Scale, examples.Halves != nil, device),
		})
		if err == nil {
			logits, err = r.predict(examples, n.path)
		}
		return err
	})
	return logits, err
}

// predict returns logits with the weights of a file.
func (r *run) predict(examples dataset.Split, path string) ([]float32, error) {
	weights, _, err := torch.LoadSafetensors(path)
	var model nn.Module
	if err == nil {
		model, err = r.modelFor(weights)
	}
	if err == nil {
		err = nn.LoadState(model.Parameters(), weights)
	}
	if err != nil {
		return nil, dataset.Errorf("the weights of the run: %w", err)
	}
	r.source.sets.Test = r.source.labelled(examples, r.Preprocessing, r.device) // look checks it for compressed rows
	set := r.source.sets.Test
	set.Prepare = r.look()
	return train.Logits(model, set, r.BatchSize)
}

// modelFor makes the configured network for weights from a file that may be damaged. It fails if the network needs more
// weights than there are.
func (r *run) modelFor(weights map[string]torch.Tensor) (model nn.Module, err error) {
	left := 0
	for _, w := range weights {
		left += w.Numel()
	}
	err = torch.Try(func() (err error) {
		if model, err = r.newModel("init", &left); err == nil {
			model, err = r.completed(model, &left)
		}
		return err
	})
	return model, err
}
