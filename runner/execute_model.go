package runner

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// makeLoss decides which T the loss is given: the one that made the noise, one
// from a file, or the one read off the cross-entropy run.
func (e *execution) makeLoss() (err error) {
	c := e.Config
	e.used = e.noise.t
	switch {
	case Estimated(c.Loss):
		if e.read, err = e.estimateOfFirst(); err != nil {
			return fmt.Errorf("the estimate of cross-entropy run %s: %w", e.DependencyFolder.ID, err)
		}
		e.used = e.read.T
		if err := e.used.WriteCSV(e.Folder.Path(EstimateFile)); err != nil {
			return err
		}
	case c.Transition != "":
		if e.used, err = readMatrix(c.Transition, e.source.classes); err != nil {
			return err
		}
	case e.noise.truth != nil:
		e.used = e.noise.truth
	case c.Loss == Forward || c.Loss == Backward:
		return unknownRow(e.noise.unknown)
	}
	e.loss, err = e.newLoss()
	return err
}

func (e *execution) newLoss() (correction.Loss, error) {
	classes := len(e.source.classes)
	on := torch.Options{Device: e.device}
	o, margins := correction.LossOptions{Clip: e.Config.Clip, Options: on}, correction.MarginOptions{Options: on}
	symmetric := correction.MarginOptions{Options: on, Symmetric: true}
	switch e.Config.Loss {
	case CrossEntropy:
		return correction.NewCrossEntropy(classes, o), nil
	case Forward, ForwardEstimated:
		return correction.NewForward(e.used, o), nil
	case Backward, BackwardEstimated:
		return correction.NewBackward(e.used, o)
	case Unhinged:
		return correction.NewUnhinged(classes, margins), nil
	case UnhingedSymmetric:
		return correction.NewUnhinged(classes, symmetric), nil
	case Sigmoid:
		return correction.NewSigmoid(classes, margins), nil
	case SigmoidSymmetric:
		return correction.NewSigmoid(classes, symmetric), nil
	case Savage:
		return correction.NewSavage(classes, o), nil
	case SavageLogits:
		return correction.NewSavageLogits(classes, margins), nil
	case BootstrapSoft:
		return correction.NewBootstrapSoft(classes, o), nil
	case BootstrapHard:
		return correction.NewBootstrapHard(classes, o), nil
	}
	return nil, fmt.Errorf("no loss %q", e.Config.Loss)
}

// makeModel ends the network in batch normalisation where the loss needs it, as
// the published code does and with the constants of Keras.
func (e *execution) makeModel() (err error) {
	if e.model, err = e.newModel(); err != nil {
		return err
	}
	if err := e.loadWeights(); err != nil || !correction.NeedsBatchNorm(e.loss) {
		return err
	}
	norm := nn.BatchNorm{Features: len(e.source.classes), Momentum: .01, Eps: 1e-3}
	e.model = nn.NewSequential(
		nn.Named("network", e.model),
		nn.Named("norm", nn.NewBatchNorm1d(norm, nn.Init{Device: e.device})),
	)
	return nil
}

// newModel is the network before training, the same at each call, in the precision
// of the run.
func (e *execution) newModel() (nn.Module, error) {
	model, err := e.fullModel()
	if err != nil || e.precision() == torch.Float32 {
		return model, err
	}
	return nn.Autocast{Module: model, Device: e.device, DType: e.precision()}, nil
}

// precision is in what the network is computed.
func (e *execution) precision() torch.DType {
	switch e.Config.Precision {
	case "bfloat16":
		return torch.BFloat16
	case "float16":
		return torch.Float16
	}
	return torch.Float32
}

func (e *execution) fullModel() (nn.Module, error) {
	c := e.Config
	if Exported(c.Model) {
		return e.newExported()
	}
	init := nn.Init{Rand: rand.New(e.rng("init")), Scheme: c.Init, Device: e.device}
	classes := len(e.source.classes)
	switch c.Model {
	case "mlp":
		return models.MLP{Inputs: e.source.inputs(), Classes: classes, Dropout: c.Dropout}.New(init)
	case "embedding":
		return models.Embedding{
			Length: e.source.inputs(), Dim: c.Vectors, Classes: classes, Dropout: c.Dropout, DropoutOf: c.DropoutOf,
		}.New(init)
	case "lstm":
		return models.LSTM{Dim: c.Vectors, Classes: classes, SpatialDropout: c.Dropout, Dropout: .5, OneBias: true}.New(init)
	case "resnet50":
		return models.ResNet50{Classes: classes}.New(init)
	}
	if depth, err := strconv.Atoi(strings.TrimPrefix(c.Model, "resnet")); err == nil {
		return models.ResNet{Depth: depth, Classes: classes, ConvBias: c.ConvBias}.New(init)
	}
	return nil, fmt.Errorf("no model %q", c.Model)
}

// loadWeights has the network start from a file. The last layer stays as drawn
// where the file's is for another number of classes.
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
		return fmt.Errorf("%w: the weights to start from: %w", ErrData, err)
	}
	return nil
}

func (e *execution) optimizer() (optim.Optimizer, error) {
	o, params := e.Config.Optimizer, e.model.Parameters()
	switch o.Name {
	case "adagrad":
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: o.LearningRate, Epsilon: o.Epsilon, WeightDecay: o.WeightDecay}, params), nil
	case "sgd":
		return optim.NewSGD(optim.SGD{LearningRate: o.LearningRate, Momentum: o.Momentum, WeightDecay: o.WeightDecay}, params), nil
	case "adam":
		return optim.NewAdam(optim.Adam{LearningRate: o.LearningRate, Epsilon: o.Epsilon, WeightDecay: o.WeightDecay}, params), nil
	}
	return nil, fmt.Errorf("no optimizer %q", o.Name)
}

func sameClasses(path string, t *correction.Matrix, classes []string) error {
	if got := t.Classes(); strings.Join(got, "\n") != strings.Join(classes, "\n") {
		return fmt.Errorf("%s is for the classes %s, the data has %s", path, strings.Join(got, ", "), strings.Join(classes, ", "))
	}
	return nil
}
