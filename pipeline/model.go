package pipeline

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// makeLoss gives the loss its T: the one that is known, or the estimate from the
// cross-entropy run.
func (e *execution) makeLoss() (err error) {
	loss := e.Config.LossEntry()
	if loss.T == losses.EstimatedT {
		if e.estimated, err = e.estimateOfFirst(); err != nil {
			return fmt.Errorf("the estimate of cross-entropy run %s: %w", e.DependencyFolder.ID, err)
		}
		e.t = e.estimated.T
		err = e.t.WriteCSV(e.Folder.Path(store.EstimateFile))
	} else {
		e.t, err = e.noise.ofLoss(e.Config)
	}
	if err != nil {
		return err
	}
	t, err := mixed(e.t, e.Config)
	if err != nil {
		return err
	}
	o := losses.Options{
		Clip: e.Config.Clip, Settings: e.Config.LossSettings,
		Rows: len(e.noise.noisy), Shares: e.noise.shares(),
		Options: torch.Options{Device: e.device},
	}
	if loss.Trusted {
		if o.Trusted, err = e.known(); err != nil {
			return err
		}
	}
	e.loss, err = loss.New(t, o)
	return err
}

// makeModel makes the network with the weights to start from, and what the loss needs
// beside it.
func (e *execution) makeModel() (err error) {
	if e.model, err = e.newModel(); err != nil {
		return err
	}
	if err := e.loadWeights(); err != nil {
		return err
	}
	return e.completeModel()
}

// completeModel adds to the network what the loss needs: a second network, or a batch
// normalisation after it, as the published code has it, with the constants of Keras.
func (e *execution) completeModel() error {
	if e.Config.LossEntry().Networks == 2 {
		second, err := e.modelOf("init of the second network")
		if err != nil {
			return err
		}
		e.model = models.NewPair(e.model, second)
	}
	if e.Config.LossEntry().BatchNorm && e.Config.OutputNorm != "none" {
		norm := nn.BatchNorm{Features: len(e.source.classes), Momentum: .01, Eps: 1e-3}
		e.model = nn.NewSequential(
			nn.Named("network", e.model),
			nn.Named("norm", nn.NewBatchNorm1d(norm, nn.Init{Device: e.device})),
		)
	}
	return nil
}

// newModel returns the network before training, the same at each call, in the precision
// of the run.
func (e *execution) newModel() (nn.Module, error) { return e.modelOf("init") }

// modelOf is newModel with weights from another random stream.
func (e *execution) modelOf(stream string) (nn.Module, error) {
	model, err := e.fullModel(stream)
	if err != nil || e.precision() == torch.Float32 {
		return model, err
	}
	return nn.Autocast{Module: model, Device: e.device, DType: e.precision()}, nil
}

// precision returns the dtype in which the network is computed.
func (e *execution) precision() torch.DType {
	switch e.Config.Precision {
	case "bfloat16":
		return torch.BFloat16
	case "float16":
		return torch.Float16
	}
	return torch.Float32
}

func (e *execution) fullModel(stream string) (nn.Module, error) {
	c := e.Config
	if config.Exported(c.Model) {
		return e.newExported()
	}
	return c.ModelEntry().New(models.Settings{
		Inputs: e.source.inputs(), Classes: len(e.source.classes), Hidden: c.Hidden, Vocabulary: e.source.words,
		Dropout: c.Dropout, DropoutUnits: c.DropoutUnits, EmbeddingDim: c.EmbeddingDim, ConvBias: c.ConvBias,
	}, nn.Init{Rand: rand.New(e.rng(stream)), Scheme: c.Init, Output: c.InitOutput, Device: e.device, Left: e.left})
}

// loadWeights loads the initial weights from a file. The last layer keeps its drawn
// weights if that of the file is for another number of classes.
func (e *execution) loadWeights() error {
	if e.Config.Weights == "" {
		return nil
	}
	const last = "fc"
	var fresh []string
	err := torch.Try(func() (err error) {
		torch.Scope(func() {
			var state map[string]torch.Tensor
			if state, _, err = torch.LoadSafetensors(e.Config.Weights); err != nil {
				return
			}
			if w, ok := state[last+".weight"]; ok && w.Size(0) != len(e.source.classes) {
				fresh = []string{last}
			}
		})
		return err
	})
	if err == nil {
		err = models.LoadWeights(e.model, e.Config.Weights, fresh...)
	}
	if err != nil {
		return fmt.Errorf("%w: the weights to start from: %w", store.ErrData, err)
	}
	return nil
}

func (e *execution) optimizer() optim.Optimizer {
	o, params := e.Config.Optimizer, e.model.Parameters()
	if learner, ok := e.loss.(losses.Learner); ok {
		params = append(params, learner.Parameters()...)
	}
	return optim.All.Named(o.Name).New(optim.Settings{
		LearningRate: o.LearningRate, Epsilon: o.Epsilon, Momentum: o.Momentum, WeightDecay: o.WeightDecay,
	}, params)
}
