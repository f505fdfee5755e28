package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/training"
)

// Pipeline executes the runs of a process, which share the data that they read. The
// zero value is ready to use, by several goroutines at once.
type Pipeline struct{ sources sources }

// Execute executes one run of Algorithm 1: it corrupts the labels, trains with the
// configured loss and, after cross-entropy, estimates T from the network. It is the
// grid.ExecuteFunc of the programs. Its errors wrap those of package store: ErrStopped
// or ErrInterrupted when ctx ends, ErrData for a broken file, ErrUnavailable for a
// missing device.
func (p *Pipeline) Execute(ctx context.Context, job *store.Job) (store.Result, error) {
	var result store.Result
	err := torch.Try(func() (err error) {
		torch.Scope(func() {
			// One thread per run: networks of this size are slower on two, and
			// sums would depend on the number of threads.
			torch.SetThreads(1)
			result, err = p.execute(ctx, job)
		})
		return err
	})
	return result, spoiled(job.Config.Device, err)
}

// execution is the state of one call of Execute. Every random draw has its own stream,
// so that cross-entropy and the corrections of one seed see the same noise, split and
// initial weights.
type execution struct {
	*store.Job
	sources   *sources
	device    torch.Device
	gpu       *store.GPU // nil on a CPU
	source    *source
	noise     *labels
	wrote     map[string]string // sha256 of the files of writeNoise
	loss      losses.Loss
	t         *correction.Matrix     // the T of the loss
	estimated *estimators.Estimation // t, where it is an estimate
	model     nn.Module
	left      *int                // see nn.Init; nil for any number of weights
	network   *export.Description // of an exported network
	freeGPU   func()              // lets runs in another mode use the GPU; nil before open
}

func (p *Pipeline) execute(ctx context.Context, job *store.Job) (store.Result, error) {
	e := &execution{Job: job, sources: &p.sources}
	defer e.close()
	if err := e.open(); err != nil {
		return store.Result{}, err
	}
	if err := e.corrupt(); err != nil {
		return store.Result{}, err
	}
	switch first, err := e.divergedFirst(); {
	case err != nil:
		return store.Result{}, err
	case first != nil:
		return e.withoutEstimate(first)
	}
	if err := e.makeLoss(); err != nil {
		return store.Result{}, err
	}
	if err := e.makeModel(); err != nil {
		return store.Result{}, err
	}
	outcome, err := e.train(ctx)
	switch {
	case errors.Is(err, training.ErrStopped):
		return store.Result{}, fmt.Errorf("%w: %w", store.ErrStopped, context.Cause(ctx))
	case err != nil:
		return store.Result{}, err
	}
	if err := e.restoreNoise(); err != nil {
		return store.Result{}, err
	}
	if err := e.judge(); err != nil {
		return store.Result{}, err
	}
	result := store.Result{Selected: store.Epoch(outcome.Selected), Last: store.Epoch(outcome.Last), State: store.Done, DataVariant: e.source.variant}
	if outcome.Diverged {
		result.State = store.Diverged
	}
	given, err := mixed(e.t, e.Config)
	if err != nil {
		return store.Result{}, err
	}
	result.Transition = e.noise.info(given)
	e.describeLearned(result.Transition)
	switch {
	case e.estimated != nil:
		e.compare(result.Transition, e.t, e.estimated.Disagreement)
		result.Warnings = e.estimated.Warnings
	case e.Config.Loss == losses.FirstLoss && e.Config.Folds.Count == 0:
		result.Warnings, err = e.estimate(result.Transition)
	}
	if err == nil && !outcome.Diverged {
		result.CleanAccuracy, err = e.cleanAccuracy()
	}
	for _, w := range slices.Concat(outcome.Warnings, e.networkWarnings(), e.noise.warnings(), e.withoutEffect(), e.source.leftOut()) {
		if !slices.Contains(result.Warnings, w) { // an estimate brings the warnings of its cross-entropy run
			result.Warnings = append(result.Warnings, w)
		}
	}
	return result, err
}

func (e *execution) rng(name string) *rand.PCG {
	return rand.NewPCG(config.Stream(e.Config.Seed, name), 0)
}

func (e *execution) open() (err error) {
	if e.device, err = torch.ParseDevice(e.Config.Device); err != nil {
		return err
	}
	if err := torch.CheckPrecision(e.device, e.precision()); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	e.freeGPU = holdGPU(e.Config)
	if e.gpu, err = e.describeGPU(); err != nil {
		return err
	}
	if e.source, err = e.sources.source(e.Config, e.device); err != nil {
		return err
	}
	return fits(e.Config, len(e.source.clean))
}

// close releases the data.
func (e *execution) close() {
	if e.source != nil {
		e.source.close()
	}
	if e.freeGPU != nil {
		e.freeGPU()
	}
}

// corrupt draws the noisy labels and writes them, and T if it is known, into the run's
// folder.
func (e *execution) corrupt() (err error) {
	if e.noise, err = newLabels(e.Config, e.source, rand.New(e.rng("noise"))); err != nil {
		return err
	}
	if err := e.writeNoise(); err != nil {
		return err
	}
	hashes := map[string]string{}
	for _, f := range e.source.files {
		hashes[f.Path] = f.SHA256
	}
	return e.Folder.UpdateEnvironment(func(env *store.Environment) {
		env.GPU, env.Data, env.Inputs, env.Labels = e.gpu, hashes, e.Config.Contents(), e.wrote[store.LabelsFile]
	})
}

// writeNoise writes the noisy labels, and T if it is known, into the run's folder.
func (e *execution) writeNoise() (err error) {
	if err := correction.WriteLabelsCSV(e.Folder.Path(store.LabelsFile), e.source.clean, e.noise.noisy); err != nil {
		return err
	}
	names := []string{store.LabelsFile}
	if e.noise.nominal != nil {
		if err := e.noise.nominal.WriteCSV(e.Folder.Path(store.TransitionFile)); err != nil {
			return err
		}
		names = append(names, store.TransitionFile)
	}
	e.wrote = map[string]string{}
	for _, name := range names {
		if e.wrote[name], err = files.SHA256(e.Folder.Path(name)); err != nil {
			return err
		}
	}
	return nil
}

// restoreNoise writes the files of writeNoise again if one was deleted or changed since.
func (e *execution) restoreNoise() error {
	var lost []string
	for name, hash := range e.wrote {
		if now, err := files.SHA256(e.Folder.Path(name)); err != nil || now != hash {
			lost = append(lost, name)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	slices.Sort(lost)
	e.Warn(fmt.Errorf("deleted or changed during the run, and written again: %s", strings.Join(lost, ", ")))
	if err := e.Folder.Check(); err != nil {
		return err
	}
	return e.writeNoise()
}

func (e *execution) train(ctx context.Context) (training.Summary, error) {
	run := e.newRun()
	var err error
	if run.Metadata, err = store.WeightsMetadata(e.Config, e.source.input); err != nil {
		return training.Summary{}, err
	}
	run.Checkpoints, run.CheckpointEvery = e.Folder.Path(store.CheckpointsDir), e.CheckpointEvery
	run.Identity = e.Config.ID() + " on " + e.source.fingerprint()
	run.Guard, run.OnBatch, run.Warn = e.Folder.BeforeCheckpoint, e.Progress.Batch, e.Warn
	run.OnEpoch = func(measured training.Epoch) error {
		epoch := store.Epoch(measured)
		fmt.Fprintf(e.Log, "%s epoch %d: train loss %.4f, validation loss %.4f, accuracy %.2f %%, test accuracy %.2f %%\n",
			store.Timestamp(), epoch.Epoch, epoch.TrainLoss, epoch.ValLoss, epoch.ValAccuracy, epoch.TestAccuracy)
		e.Progress.Epoch(epoch)
		return e.Folder.AppendEpoch(epoch)
	}
	run.OnStart = func(done []training.Epoch) error {
		if n := len(done); n > 0 {
			fmt.Fprintf(e.Log, "%s resumes after epoch %d\n", store.Timestamp(), n)
			e.Progress.Resumed(n)
		}
		return e.reviseEpochs(done)
	}
	outcome, err := run.Train(ctx)
	if err != nil {
		return outcome, err
	}
	return outcome, e.reviseEpochs(outcome.Epochs)
}

// reviseEpochs has the metrics hold the epochs that are done, and reports what was wrong with them.
func (e *execution) reviseEpochs(done []training.Epoch) error {
	epochs := make([]store.Epoch, len(done))
	for i, epoch := range done {
		epochs[i] = store.Epoch(epoch)
	}
	problems, err := e.Folder.ReviseEpochs(epochs)
	for _, problem := range problems {
		e.Warn(errors.New(problem))
	}
	return err
}

// newRun returns the training of the model, without its callbacks.
func (e *execution) newRun() *training.Run {
	c := e.Config
	run := &training.Run{
		Model: e.model, Loss: e.loss, Optimizer: e.optimizer(), Data: e.data(), Epochs: c.Epochs, Batch: c.BatchSize, Steps: c.StepsPerEpoch,
		Schedule: schedule(c),
		Shuffle:  e.rng("shuffle"),
		Dropout:  torch.NewGenerator(config.Stream(c.Seed, "dropout"), e.device),
		LossSeed: config.Stream(c.Seed, "loss"),
	}
	crossEntropy := func() losses.Loss {
		return losses.NewCrossEntropy(len(e.source.classes), losses.Options{Options: torch.Options{Device: e.device}})
	}
	if c.WarmupEpochs > 0 {
		run.WarmupEpochs, run.Warmup = c.WarmupEpochs, crossEntropy()
	}
	if e.source.validation != nil { // its labels are true
		run.Selection = crossEntropy()
	}
	if c.Augment == "crop-flip" {
		run.Augment, run.AugmentRand = e.crop().Random, torch.NewGenerator(config.Stream(c.Seed, "augment"), e.device)
	}
	run.Scaled = e.precision() == torch.Float16
	if c.Validation.Penalty {
		run.Penalty = c.Optimizer.WeightDecay / 2
	}
	return run
}

// schedule returns the learning rate by epoch.
func schedule(c config.Config) optim.Schedule {
	if c.Optimizer.Schedule != "linear" {
		return optim.Steps(c.Optimizer.LearningRate, .1, c.Optimizer.Milestones...)
	}
	half := float64(c.Epochs) / 2
	return func(epoch int) float64 { // the rate in the middle of the epoch
		return c.Optimizer.LearningRate * min(1, (float64(c.Epochs)-float64(epoch)-.5)/half)
	}
}
