package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// Pipeline executes the runs of a process, which share the data that they read. The
// zero value is ready to use, by several goroutines at once.
type Pipeline struct{ sources sources }

// Execute executes one run of Algorithm 1: it corrupts the labels, trains with the
// configured loss and, after cross-entropy, estimates T from the network. It is the
// grid.ExecuteFunc of the programs. Its errors wrap those of package store: ErrStopped
// or ErrInterrupted when ctx ends, dataset.ErrData for a broken file, ErrUnavailable for a
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

// execute does the stages of a run, one after the other: data, labels, loss, network,
// training, judging of what was left out, estimate.
func (p *Pipeline) execute(ctx context.Context, job *store.Job) (store.Result, error) {
	m, release, err := p.open(job.Config)
	if err != nil {
		return store.Result{}, err
	}
	defer release()
	noise, err := newLabels(m)
	if err != nil {
		return store.Result{}, err
	}
	if err := writeLabels(job.Folder, m, noise); err != nil {
		return store.Result{}, err
	}
	first, err := openFirst(job)
	if err != nil {
		return store.Result{}, err
	}
	if first.spoiled() {
		return first.spoils(job.Folder, m)
	}
	loss, err := newCorrected(m, noise, first)
	if err != nil {
		return store.Result{}, err
	}
	if loss.estimated != nil {
		if err := loss.t.WriteCSV(job.Folder.Path(store.EstimateFile)); err != nil {
			return store.Result{}, err
		}
	}
	model, err := m.startingModel()
	if err != nil {
		return store.Result{}, err
	}
	outcome, err := trainNetwork(ctx, job, m.training(noise, loss.loss, model), m)
	if errors.Is(err, train.ErrStopped) {
		err = fmt.Errorf("%w: %w", store.ErrStopped, context.Cause(ctx))
	}
	if err != nil {
		return store.Result{}, err
	}
	if m.Folds.Count > 0 {
		if err := writeLeftOut(job.Folder, m, noise, model); err != nil {
			return store.Result{}, err
		}
	}
	return result(job.Folder, m, noise, first, loss, model, outcome)
}

// result makes the result of a training that has ended; after cross-entropy it estimates T.
func result(folder *store.Folder, m *material, noise *labels, first *firstRun, loss corrected, model nn.Module,
	outcome train.Summary) (store.Result, error) {
	r := store.Result{Selected: outcome.Selected, Last: outcome.Last, State: store.Done, DataVariant: m.source.variant}
	if outcome.Diverged {
		r.State = store.Diverged
	}
	r.Transition = noise.info(loss.t)
	describeLearned(r.Transition, loss.loss, noise)
	estimated := loss.estimated
	if estimated == nil && m.Loss == losses.FirstLoss && m.Folds.Count == 0 && m.Corrected == "" {
		var err error
		if estimated, err = m.estimate(noise, model); err != nil {
			// A network that diverged has no posterior; its run is a result all the same.
			r.Warnings = []string{"no estimate of T: " + err.Error()}
		} else if err := estimated.T.WriteCSV(folder.Path(store.EstimateFile)); err != nil {
			return r, err
		}
	}
	if estimated != nil {
		describeEstimate(r.Transition, m.Config, estimated, noise)
		r.Warnings = estimated.Warnings
	}
	if !outcome.Diverged {
		var err error
		if r.CleanAccuracy, err = m.cleanAccuracy(noise, first, loss, estimated, model); err != nil {
			return r, err
		}
	}
	for _, w := range slices.Concat(outcome.Warnings, m.warnings, noise.warnings(), loss.warnings(m.Config),
		m.source.leftOut(), m.source.repeats()) {
		if !slices.Contains(r.Warnings, w) { // an estimate brings the warnings of its cross-entropy run
			r.Warnings = append(r.Warnings, w)
		}
	}
	return r, nil
}

// open opens the data of a run on its device. release lets go of both.
func (p *Pipeline) open(c config.Config) (m *material, release func(), err error) {
	device, err := torch.ParseDevice(c.Device)
	if err != nil {
		return nil, nil, err
	}
	if err := torch.CheckPrecision(device, precision(c)); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	freeGPU := holdGPU(c)
	s, err := p.sources.source(c, device)
	if err != nil {
		freeGPU()
		return nil, nil, err
	}
	release = func() {
		s.close()
		freeGPU()
	}
	if m, err = newMaterial(c, device, s); err == nil {
		err = fits(c, len(s.clean))
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return m, release, nil
}

// writeLabels writes the noisy labels, and T if it is known, into the run's folder, and
// describes the run's inputs there.
func writeLabels(folder *store.Folder, m *material, noise *labels) error {
	if err := correction.WriteLabelsCSV(folder.Path(store.LabelsFile), m.source.clean, noise.noisy); err != nil {
		return err
	}
	folder.Keep(store.LabelsFile)
	if noise.nominal != nil {
		if err := noise.nominal.WriteCSV(folder.Path(store.TransitionFile)); err != nil {
			return err
		}
		folder.Keep(store.TransitionFile)
	}
	written, err := files.SHA256(folder.Path(store.LabelsFile))
	if err != nil {
		return err
	}
	hashes := map[string]string{}
	for _, f := range m.source.files {
		hashes[f.Path] = f.SHA256
	}
	gpu, err := describeGPU(m.Config, m.device)
	if err != nil {
		return err
	}
	return folder.UpdateEnvironment(func(env *store.Environment) {
		env.GPU, env.Data, env.Inputs, env.Labels = gpu, hashes, m.Contents(), written
	})
}

// trainNetwork trains with the checkpoints, metrics and progress of a job.
func trainNetwork(ctx context.Context, job *store.Job, run *train.Run, m *material) (train.Summary, error) {
	var err error
	keep := &run.Checkpoints
	if keep.Metadata, err = store.WeightsMetadata(m.Config, m.source.input); err != nil {
		return train.Summary{}, err
	}
	keep.Dir, keep.Every = job.Folder.Path(store.CheckpointsDir), job.CheckpointEvery
	keep.Identity, keep.Guard = m.ID()+" on "+m.source.fingerprint(), job.Folder.BeforeCheckpoint
	run.On.Batch, run.On.Warn = job.Progress.Batch, job.Warn
	run.On.Epoch = func(epoch metrics.Epoch) error {
		fmt.Fprintf(job.Log, "%s epoch %d: train loss %.4f, validation loss %.4f, accuracy %.2f %%, test accuracy %.2f %%\n",
			store.Timestamp(), epoch.Epoch, epoch.TrainLoss, epoch.ValLoss, epoch.ValAccuracy, epoch.TestAccuracy)
		job.Progress.Epoch(epoch)
		return job.Folder.AppendEpoch(epoch)
	}
	run.On.Record = func(what string, err error) {
		if err == nil {
			fmt.Fprintf(job.Log, "%s %s: recorded, one launch for each batch\n", store.Timestamp(), what)
		} else {
			job.Warn(fmt.Errorf("%s: not recorded, one launch for each kernel: %w", what, err))
		}
	}
	run.On.Start = func(done []metrics.Epoch) error {
		if n := len(done); n > 0 {
			fmt.Fprintf(job.Log, "%s resumes after epoch %d\n", store.Timestamp(), n)
			job.Progress.Resumed(n)
		}
		return job.Folder.ReviseEpochs(done)
	}
	outcome, err := run.Train(ctx)
	if err != nil {
		return outcome, err
	}
	return outcome, job.Folder.ReviseEpochs(outcome.Epochs) // a file that was deleted meanwhile is whole again
}

// training returns the training of a model on the noisy labels, without its callbacks.
func (m *material) training(noise *labels, loss losses.Loss, model nn.Module) *train.Run {
	run := &train.Run{
		Network: train.Network{
			Model: model, Loss: loss, Optimizer: m.optimizer(model, loss), Schedule: schedule(m.Config),
			Scaled: precision(m.Config) == torch.Float16,
		},
		Data: m.split(noise),
		Random: train.Random{
			Shuffle: m.rng("shuffle"), Dropout: torch.NewGenerator(config.Stream(m.Seed, "dropout"), m.device),
			Loss: config.Stream(m.Seed, "loss"),
		},
		Record: recordOf(m.Config) == config.RecordAuto,
	}
	if m.WarmupEpochs > 0 {
		run.WarmupEpochs, run.Warmup = m.WarmupEpochs, m.crossEntropy()
	}
	if m.source.validation != nil { // its labels are true
		run.Selection = m.crossEntropy()
	}
	if s, ok := loss.(losses.Selector); ok {
		run.Selection = s.Selection()
	}
	if m.Augment == config.CropFlip {
		run.Data.Augment, run.Random.Augment = m.crop().Random, torch.NewGenerator(config.Stream(m.Seed, "augment"), m.device)
	}
	if m.Validation.Penalty {
		run.Penalty = m.Optimizer.WeightDecay / 2
	}
	return run
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
