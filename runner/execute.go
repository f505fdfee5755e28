package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/training"
)

// Execute does one run of Algorithm 1: corrupt the labels, train with the loss
// asked for, and after cross-entropy read T-hat off the network. It is the
// ExecuteFunc of the real programs.
func Execute(ctx context.Context, job *Job) (Result, error) {
	var result Result
	err := torch.Try(func() (err error) {
		torch.Scope(func() {
			// One thread a run: networks of this size are slower on two, and
			// sums would depend on how many there are.
			torch.SetThreads(1)
			result, err = execute(ctx, job)
		})
		return err
	})
	return result, err
}

// execution is a run in the making. Every random draw has a stream of its own,
// so that runs that differ in one thing share all else: cross-entropy and the
// corrections of one seed see the same noise, split and initial weights.
type execution struct {
	*Job
	device torch.Device
	source *source
	noise  *labels
	loss   correction.Loss
	used   *correction.Matrix     // the T of the loss
	read   *correction.Estimation // used, where it was estimated
	model  nn.Module
}

func execute(ctx context.Context, job *Job) (Result, error) {
	e := &execution{Job: job}
	defer e.close()
	for _, step := range []func() error{e.open, e.corrupt, e.makeLoss, e.makeModel} {
		if err := step(); err != nil {
			return Result{}, err
		}
	}
	outcome, err := e.train(ctx)
	switch {
	case errors.Is(err, training.ErrStopped):
		return Result{}, fmt.Errorf("%w: %w", ErrStopped, context.Cause(ctx))
	case err != nil:
		return Result{}, err
	}
	result := Result{Selected: outcome.Selected, Last: outcome.Last, State: Done, DataVariant: e.source.variant}
	if outcome.Diverged {
		result.State = Diverged
	}
	result.Transition = e.noise.info(e.used)
	switch {
	case Estimated(e.Config.Loss):
		e.compare(result.Transition, e.used, e.read.Disagreement)
		result.Warnings = e.read.Warnings
	case e.Config.Loss == CrossEntropy:
		result.Warnings, err = e.estimate(result.Transition)
	}
	result.Warnings = append(result.Warnings, e.source.leftOut()...)
	return result, err
}

func (e *execution) rng(name string) *rand.PCG {
	return rand.NewPCG(Stream(e.Config.Seed, name), 0)
}

func (e *execution) open() (err error) {
	if e.device, err = torch.ParseDevice(e.Config.Device); err != nil {
		return err
	}
	if err := torch.CheckDevice(e.device); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if e.source, err = openSource(e.Config, e.device); err != nil {
		return err
	}
	if err := e.Config.fits(len(e.source.clean)); err != nil {
		return err
	}
	hashes := map[string]string{}
	for _, f := range e.source.files {
		hashes[f.Path] = f.SHA256
	}
	return e.Folder.UpdateEnvironment(func(env *Environment) { env.Data = hashes })
}

// close gives up the data.
func (e *execution) close() {
	if e.source != nil {
		e.source.close()
	}
}

// corrupt draws the noisy labels and leaves them, and T, beside the run.
func (e *execution) corrupt() (err error) {
	if e.noise, err = newLabels(e.Config, e.source, rand.New(e.rng("noise"))); err != nil {
		return err
	}
	if err := e.noise.t.WriteCSV(e.Folder.Path(TransitionFile)); err != nil {
		return err
	}
	path := e.Folder.Path(LabelsFile)
	if err := correction.WriteLabelsCSV(path, e.source.clean, e.noise.noisy); err != nil {
		return err
	}
	hash, err := HashFile(path)
	if err != nil {
		return err
	}
	return e.Folder.UpdateEnvironment(func(env *Environment) { env.Labels = hash })
}

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
	case e.source.pairs != nil:
		if e.used, err = correction.FromPairs(e.source.classes, e.source.pairs); err != nil {
			return err
		}
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

// newModel is the network before training, the same at each call.
func (e *execution) newModel() (nn.Module, error) {
	c := e.Config
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

func (e *execution) train(ctx context.Context) (training.Outcome, error) {
	run, err := e.newRun()
	if err != nil {
		return training.Outcome{}, err
	}
	run.Checkpoints, run.CheckpointEvery = e.Folder.Path(CheckpointsDir), e.CheckpointEvery
	run.Identity = e.Config.ID() + " on " + e.source.fingerprint()
	run.Guard, run.OnBatch, run.Warn = e.Folder.Check, e.Progress.Batch, e.Warn
	run.OnEpoch = func(epoch training.Epoch) error {
		fmt.Fprintf(e.Log, "%s epoch %d: train loss %.4f, validation loss %.4f, accuracy %.2f %%, test accuracy %.2f %%\n",
			now(), epoch.Epoch, epoch.TrainLoss, epoch.ValLoss, epoch.ValAccuracy, epoch.TestAccuracy)
		e.Progress.Epoch(epoch)
		return e.Folder.AppendEpoch(epoch)
	}
	run.OnStart = func(done int) error {
		if done > 0 {
			fmt.Fprintf(e.Log, "%s goes on after epoch %d\n", now(), done)
		}
		return e.Folder.TruncateEpochs(done)
	}
	return run.Train(ctx)
}

// newRun is the training of the model, without what it reports.
func (e *execution) newRun() (*training.Run, error) {
	c := e.Config
	optimizer, err := e.optimizer()
	if err != nil {
		return nil, err
	}
	run := &training.Run{
		Model: e.model, Loss: e.loss, Optimizer: optimizer, Data: e.data(), Epochs: c.Epochs, Batch: c.Batch, Steps: c.Steps,
		Schedule: optim.Steps(c.Optimizer.LearningRate, .1, c.Optimizer.Milestones...),
		Shuffle:  e.rng("shuffle"),
		Dropout:  torch.NewGenerator(Stream(c.Seed, "dropout"), e.device),
	}
	if c.Augment == "crop-flip" {
		run.Augment, run.Chance = e.crop().Random, torch.NewGenerator(Stream(c.Seed, "augment"), e.device)
	}
	if c.Validation.Penalty {
		run.Penalty = c.Optimizer.WeightDecay / 2
	}
	return run, nil
}

// data splits the noisy training set as the paper does: a random tenth is kept
// for validation, unless the data set has a validation set of its own.
func (e *execution) data() training.Data {
	rows := e.rows()
	n := len(rows)
	held := e.Config.held(n)
	order := make([]int64, n)
	for i, j := range rand.New(e.rng("split")).Perm(n) {
		order[i] = rows[j]
	}
	validation, train := order[:held], order[held:]
	if e.Config.Validation.From == "last" {
		train, validation = order[:n-held], order[n-held:]
	}
	data := training.Data{Train: e.set(train), Validation: e.set(validation), Test: e.source.test}
	if own := e.source.validation; own != nil {
		data.Validation = *own
	}
	if limit := e.Config.Examples.Test; limit > 0 && limit < data.Test.Len() {
		part := rand.New(e.rng("test examples")).Perm(data.Test.Len())[:limit]
		data.Test.Index = torch.FromSlice(wide(part)).ToDevice(e.device)
	}
	look := e.look()
	data.Validation.Prepare, data.Test.Prepare = look, look
	if e.Config.Augment != "none" {
		data.Train.Prepare = e.source.prepare
	}
	return data
}

// rows are the training examples that the run may use, validation included.
func (e *execution) rows() []int64 {
	n := len(e.source.clean)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if limit := e.Config.Examples.Train; limit > 0 && limit < n {
		order = rand.New(e.rng("examples")).Perm(n)[:limit]
	}
	return wide(order)
}

func wide(rows []int) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = int64(r)
	}
	return out
}

// set is training examples with their noisy labels, as a network sees them
// without augmentation.
func (e *execution) set(rows []int64) training.Set {
	set := e.source.train
	set.Y, set.Index = e.noise.tensor(e.device), torch.FromSlice(rows).ToDevice(e.device)
	set.Prepare = e.look()
	return set
}

// look is how the network sees examples: the last words of reviews that are cut
// short, the middle of images that are larger than it takes.
func (e *execution) look() func(torch.Tensor) torch.Tensor {
	if words := e.Config.Examples.Words; words > 0 {
		return func(x torch.Tensor) torch.Tensor { return x.Narrow(1, max(0, x.Size(1)-words), min(words, x.Size(1))) }
	}
	crop, prepare := e.crop(), e.source.prepare
	if e.Config.Model != "resnet50" || e.source.shape[1] == crop.Size && e.source.shape[2] == crop.Size {
		return prepare
	}
	return func(x torch.Tensor) torch.Tensor { return prepare(crop.Centre(x)) }
}

// crop is the augmentation of Section 5.1, without a border for images that are
// larger than the network takes.
func (e *execution) crop() training.Crop {
	if e.Config.Model == "resnet50" {
		return training.Crop{Size: 224, Flip: true}
	}
	return training.Crop{Size: e.source.shape[len(e.source.shape)-1], Pad: 4, Flip: true}
}

func sameClasses(path string, t *correction.Matrix, classes []string) error {
	if got := t.Classes(); strings.Join(got, "\n") != strings.Join(classes, "\n") {
		return fmt.Errorf("%s is for the classes %s, the data has %s", path, strings.Join(got, ", "), strings.Join(classes, ", "))
	}
	return nil
}
