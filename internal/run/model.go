package run

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// corrected is a loss with its T.
type corrected struct {
	loss      losses.Loss
	t         *correction.Matrix     // without the share of the identity
	estimated *estimators.Estimation // t, where it is an estimate
}

// newCorrected gives the loss its T: the one that is known, or the estimate from the
// cross-entropy run.
func newCorrected(m *material, noise *labels, first *firstRun) (c corrected, err error) {
	entry := m.LossEntry()
	if entry.T == losses.EstimatedT {
		if c.estimated, err = first.estimate(m, noise); err != nil {
			return c, fmt.Errorf("the estimate of cross-entropy run %s: %w", first.folder.ID, err)
		}
		c.t = c.estimated.T
	} else if c.t, err = noise.ofLoss(m.Config); err != nil {
		return c, err
	}
	o := losses.Options{
		Clip: m.Clip, Settings: m.LossSettings,
		Rows: len(noise.noisy), Shares: noise.shares(),
		Options: torch.Options{Device: m.device},
	}
	if entry.Trusted {
		if o.Trusted, err = m.known(); err != nil {
			return c, err
		}
	}
	if entry.Targets {
		if o.Targets, err = readTargets(m.Config, len(noise.noisy), c.t.Dim()); err != nil {
			return c, err
		}
	}
	c.loss, err = entry.New(c.t, o)
	return c, err
}

// warnings returns a warning if a known T corrects nothing.
func (l corrected) warnings(c config.Config) []string {
	if c.LossEntry().T != losses.KnownT || !l.t.IsIdentity() {
		return nil
	}
	return []string{fmt.Sprintf("T is the identity, so %s equals cross-entropy and does not test the correction",
		c.Loss)}
}

// startingModel makes the network with the weights to start from, and what the loss needs
// beside it.
func (m *material) startingModel() (nn.Module, error) {
	model, err := m.newModel(nil)
	if err != nil {
		return nil, err
	}
	if err := m.loadWeights(model); err != nil {
		return nil, err
	}
	return m.completed(model, nil)
}

// completed adds to the network what the loss needs: a second network, or a batch
// normalisation after it, as the published code has it, with the constants of Keras.
func (m *material) completed(model nn.Module, left *int) (nn.Module, error) {
	if m.LossEntry().Networks == 2 {
		second, err := m.modelOf("init of the second network", left)
		if err != nil {
			return nil, err
		}
		model = models.NewPair(model, second)
	}
	if m.LossEntry().BatchNorm {
		norm := nn.BatchNorm{Features: len(m.source.classes), Momentum: .01, Eps: 1e-3}
		model = nn.NewSequential(
			nn.Named("network", model),
			nn.Named("norm", nn.NewBatchNorm1d(norm, nn.Init{Device: m.device})),
		)
	}
	return model, nil
}

// newModel returns the network before training, the same at each call, in the precision
// of the run. left bounds its weights, see nn.Init; nil for any number.
func (m *material) newModel(left *int) (nn.Module, error) { return m.modelOf("init", left) }

// modelOf is newModel with weights from another random stream.
func (m *material) modelOf(stream string, left *int) (model nn.Module, err error) {
	c := m.Config
	if config.Exported(c.Model) {
		model, err = m.newExported()
	} else {
		model, err = c.ModelEntry().New(models.Settings{
			Inputs: elements(m.source.shape), Classes: len(m.source.classes), Hidden: c.Hidden, Vocabulary: m.source.words,
			Dropout: c.Dropout, DropoutUnits: c.DropoutUnits, EmbeddingDim: c.EmbeddingDim,
		}, nn.Init{Rand: rand.New(m.rng(stream)), Scheme: c.Init, Output: c.InitOutput, Device: m.device, Left: left})
	}
	if err != nil || precision(c) == torch.Float32 {
		return model, err
	}
	return nn.Autocast{Module: model, Device: m.device, DType: precision(c)}, nil
}

// precision returns the dtype in which the network is computed.
func precision(c config.Config) torch.DType {
	return map[string]torch.DType{config.BFloat16: torch.BFloat16, config.Float16: torch.Float16,
		config.Float32: torch.Float32, "": torch.Float32}[c.Precision]
}

// loadWeights loads the initial weights from a file. The last layer keeps its drawn
// weights if that of the file is for another number of classes.
func (m *material) loadWeights(model nn.Module) error {
	if m.Weights == "" {
		return nil
	}
	const last = "fc"
	var fresh []string
	err := torch.Try(func() (err error) {
		torch.Scope(func() {
			var state map[string]torch.Tensor
			if state, _, err = torch.LoadSafetensors(m.Weights); err != nil {
				return
			}
			if w, ok := state[last+".weight"]; ok && w.Size(0) != len(m.source.classes) {
				fresh = []string{last}
			}
		})
		return err
	})
	if err == nil {
		err = models.LoadWeights(model, m.Weights, fresh...)
	}
	if err != nil {
		return dataset.Errorf("the weights to start from: %w", err)
	}
	return nil
}

func (m *material) optimizer(model nn.Module, loss losses.Loss) optim.Optimizer {
	o, params := m.Optimizer, model.Parameters()
	if learner, ok := loss.(losses.Learner); ok {
		params = append(params, learner.Parameters()...)
	}
	return config.Optimizers.Named(o.Name).New(optim.Settings{
		LearningRate: o.LearningRate, Epsilon: o.Epsilon, Momentum: o.Momentum, WeightDecay: o.WeightDecay,
	}, params)
}
