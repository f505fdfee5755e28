package run

import (
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// makeModel makes the network with its initial weights, and whatever the loss adds to it.
func (r *run) makeModel() error {
	model, err := r.newModel("init", nil)
	if err == nil {
		err = r.loadWeights(model)
	}
	if err == nil {
		r.model, err = r.completed(model, nil)
	}
	return err
}

// completed adds to the network what the loss needs: a second network, or a final batch normalisation with Keras'
// constants, as in the published code.
func (r *run) completed(model nn.Module, left *int) (nn.Module, error) {
	if r.LossEntry().Networks == 2 {
		second, err := r.newModel("init of the second network", left)
		if err != nil {
			return nil, err
		}
		model = models.NewPair(model, second)
	}
	if r.LossEntry().BatchNorm {
		norm := nn.BatchNorm{Features: len(r.source.Classes), Momentum: .01, Eps: 1e-3}
		model = nn.NewSequential(
			nn.Named("network", model),
			nn.Named("norm", nn.NewBatchNorm1d(norm, nn.Init{Device: r.device})),
		)
	}
	return model, nil
}

// newModel returns the untrained network, the same at each call, with weights from a random stream, in the run's
// precision. left bounds the number of weights, see nn.Init; nil means no bound.
func (r *run) newModel(stream string, left *int) (model nn.Module, err error) {
	if c := r.Config; config.Exported(c.Model) {
		model, err = r.newExported()
	} else {
		model, err = c.ModelEntry().New(models.Settings{
			Inputs: r.source.Train.Size(), Classes: len(r.source.Classes), Vocabulary: r.source.input.Vocabulary,
			Hidden: c.Hidden, Dropout: c.Dropout, DropoutUnits: c.DropoutUnits, EmbeddingDim: c.EmbeddingDim,
		}, nn.Init{Rand: rand.New(r.rng(stream)), Scheme: c.Init, Output: c.InitOutput, Device: r.device, Left: left})
	}
	if err != nil || precision(r.Config) == torch.Float32 {
		return model, err
	}
	return nn.Autocast{Module: model, Device: r.device, DType: precision(r.Config)}, nil
}

// precision returns the dtype that the network computes in.
func precision(c config.Config) torch.DType {
	return map[string]torch.DType{config.BFloat16: torch.BFloat16, config.Float16: torch.Float16,
		config.Float32: torch.Float32, "": torch.Float32}[c.Precision]
}

// loadWeights loads initial weights from a file. The last layer keeps its drawn weights if the file has another number
// of classes.
func (r *run) loadWeights(model nn.Module) error {
	if r.Weights == "" {
		return nil
	}
	const last = "fc"
	var fresh []string
	err := torch.Try(func() (err error) {
		torch.Scope(func() {
			var state map[string]torch.Tensor
			if state, _, err = torch.LoadSafetensors(r.Weights); err != nil {
				return
			}
			if w, ok := state[last+".weight"]; ok && w.Size(0) != len(r.source.Classes) {
				fresh = []string{last}
			}
		})
		return err
	})
	if err == nil {
		err = models.LoadWeights(model, r.Weights, fresh...)
	}
	if err != nil {
		return dataset.Errorf("the weights to start from: %w", err)
	}
	return nil
}

func (r *run) optimizer() optim.Optimizer {
	o, params := r.Optimizer, r.model.Parameters()
	if learner, ok := r.loss.(losses.Learner); ok {
		params = append(params, learner.Parameters()...)
	}
	return config.Optimizers.Named(o.Name).New(optim.Settings{
		LearningRate: o.LearningRate, Epsilon: o.Epsilon, Momentum: o.Momentum, WeightDecay: o.WeightDecay,
	}, params)
}

// schedule returns the learning rate by epoch.
func schedule(c config.Config) optim.Schedule {
	if c.Optimizer.Schedule != config.Linear {
		return optim.Steps(c.Optimizer.LearningRate, .1, c.Optimizer.Milestones...)
	}
	half := float64(c.Epochs) / 2
	return func(epoch int) float64 { // the rate in the middle of the epoch
		return c.Optimizer.LearningRate * min(1, (float64(c.Epochs)-float64(epoch)-.5)/half)
	}
}
