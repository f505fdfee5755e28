package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/training"
)

// inputOf returns how examples of a data set become the input of a network, without the
// moments of preprocessing.
func inputOf(data *dataset.Dataset) store.Input {
	in := store.Input{Classes: data.Classes, Shape: data.Train.Shape, Type: store.Bytes, Words: data.Ranked, Vocabulary: len(data.Words)}
	switch {
	case data.Train.Tokens != nil:
		in.Type = store.Words
	case data.Train.Features != nil || data.Train.Halves != nil:
		in.Type = store.Numbers
	}
	return in
}

// FormOf returns the form of new examples for the network of a finished run. The error is
// store.ErrData if the run's folder does not say how examples are read.
func FormOf(folder *store.Folder) (dataset.Form, error) {
	in, err := readInput(folder)
	if err == nil && in.Type == store.Words && len(in.Words) == 0 {
		err = fmt.Errorf("%w: %s has no words: networks for texts can be used if they were trained on own data", store.ErrData, folder.Path(store.InputFile))
	}
	return dataset.Form{Shape: in.Shape, Bytes: in.Type == store.Bytes, Words: in.Words, Vocabulary: in.Vocabulary}, err
}

func readInput(folder *store.Folder) (store.Input, error) {
	in, err := folder.Input()
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: no %s in %s: an older version of the program did the run; do it again with --resume force", store.ErrData, store.InputFile, folder.Dir())
	}
	return in, err
}

// Predict returns the logits [N C] of a finished run's selected network for new examples
// in the form of FormOf, computed as in training: the same batches, preprocessing and
// precision. progress, which may be nil, is told how far a backbone is. The error is
// store.ErrUnfinished if the run has not finished.
func Predict(ctx context.Context, folder *store.Folder, examples dataset.Split, device torch.Device, progress func(what string, done, total int)) (logits []float32, err error) {
	result, err := folder.Result()
	if err != nil {
		return nil, err
	}
	in, err := readInput(folder)
	if err != nil {
		return nil, err
	}
	c := result.Config
	shape := in.Shape
	if in.Backbone != nil {
		b, err := describeBackbone(c.Source, device)
		if err == nil {
			err = b.ofNew(ctx, &examples, *in.Backbone, progress)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: the backbone: %w", store.ErrData, err)
		}
		shape = examples.Shape
	}
	e := &execution{Job: &store.Job{Config: c, Folder: folder}, device: device}
	err = torch.Try(func() (err error) {
		torch.Scope(func() {
			torch.SetThreads(1) // as in training
			e.source = &source{
				classes: in.Classes, words: in.Vocabulary, shape: shape,
				prepare: preparation(in.Shift, in.Scale, examples.Halves != nil, device),
			}
			logits, err = e.predict(examples)
		})
		return err
	})
	return logits, err
}

func (e *execution) predict(examples dataset.Split) ([]float32, error) {
	var err error
	if e.model, err = e.newModel(); err != nil {
		return nil, err
	}
	if err := e.completeModel(); err != nil {
		return nil, err
	}
	weights, _, err := torch.LoadSafetensors(e.Folder.Path(store.CheckpointsDir, training.BestFile))
	if err != nil {
		return nil, fmt.Errorf("%w: the weights of the run: %w", store.ErrData, err)
	}
	if err := nn.LoadState(e.model.Parameters(), weights); err != nil {
		return nil, fmt.Errorf("%w: the weights of the run: %w", store.ErrData, err)
	}
	set := e.source.labelled(examples, e.Config.Preprocessing, e.device)
	set.Prepare = e.look()
	return training.Logits(e.model, set, evaluationBatches*e.Config.BatchSize)
}
