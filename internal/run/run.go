package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
)

// run is one run of Algorithm 1; its stages fill in the fields from top to bottom. Every random draw has its own
// stream, so that cross-entropy and the corrections of one seed see the same noise, split and initial weights.
type run struct {
	config.Config
	job    *store.Job // nil to write nothing
	device torch.Device

	source *source
	side   int // height and width of the network's input images, 0 if the data set's
	notes  []string

	transitions
	noisy    []int
	taught   []int              // the labels to train on: noisy, except for Config.Corrected
	realised *correction.Matrix // counted from the drawn labels; nil if nominal is
	labels   torch.Tensor       // taught, on the device

	first     store.Result           // of the cross-entropy run, if the loss needs its T-hat
	t         *correction.Matrix     // of the loss
	estimated *estimators.Estimation // T-hat of the loss, or of this cross-entropy run
	loss      losses.Loss
	model     nn.Module
}

// Execute executes one run of Algorithm 1: it corrupts the labels, trains with the configured loss and, after
// cross-entropy, estimates T from the network. It is a grid.ExecuteFunc. Its errors wrap ErrStopped or ErrInterrupted
// of package store when ctx ends, dataset.ErrData for a broken file, and store.ErrUnavailable for a missing device.
func (p *Pipeline) Execute(ctx context.Context, job *store.Job) (store.Result, error) {
	var result store.Result
	err := scoped(func() (err error) {
		result, err = p.execute(ctx, job)
		return err
	})
	return result, unavailable(job.Config.Device, err)
}

// scoped calls f in a scope for its tensors, on one thread: networks of this size are slower on two, and sums would
// depend on the number of threads.
func scoped(f func() error) error {
	return torch.Try(func() (err error) {
		torch.Scope(func() {
			torch.SetThreads(1)
			err = f()
		})
		return err
	})
}

// execute is Algorithm 1: data, labels with T, loss, network, training, T-hat.
func (p *Pipeline) execute(ctx context.Context, job *store.Job) (store.Result, error) {
	r, err := p.begin(job.Config)
	if err != nil {
		return store.Result{}, err
	}
	defer r.source.close()
	r.job = job
	if err := inOrder(r.drawLabels, r.writeInputs, r.readFirst); err != nil {
		return store.Result{}, err
	}
	if r.first.State == store.Diverged && estimateOf(r.first) == nil {
		return r.divergedResult()
	}
	if err := inOrder(r.chooseLoss, r.writeEstimate, r.makeModel); err != nil {
		return store.Result{}, err
	}
	outcome, err := r.train(ctx)
	if err == nil {
		err = r.writeLeftOut()
	}
	if err != nil {
		return store.Result{}, err
	}
	return r.result(outcome)
}

// inOrder executes steps until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// begin opens a run's data on its device, until release.
func (p *Pipeline) begin(c config.Config) (*run, error) {
	device, err := torch.ParseDevice(c.Device)
	if err != nil {
		return nil, err
	}
	if err := torch.CheckPrecision(device, precision(c)); err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	p.setMode(c)
	s, err := p.source(c, device)
	if err != nil {
		return nil, err
	}
	r, err := newRun(c, device, s)
	if err == nil {
		err = fits(c, s.Train.Len())
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return r, nil
}

func newRun(c config.Config, device torch.Device, s *source) (*run, error) {
	r := &run{Config: c, device: device, source: s, side: c.ModelEntry().Side}
	if config.Exported(c.Model) {
		d, err := export.Describe(c.Model)
		if err != nil {
			return nil, dataset.Errorf("the network: %w", err)
		}
		r.side, r.notes = exportedSide(d, s.Train.Shape), d.Warnings
	}
	return r, nil
}

// rng returns the random stream with a name.
func (r *run) rng(name string) *rand.PCG { return rand.NewPCG(config.Stream(r.Seed, name), 0) }

// generator returns the random stream with a name on the device.
func (r *run) generator(name string) *torch.Generator {
	return torch.NewGenerator(config.Stream(r.Seed, name), r.device)
}

// writeInputs writes the noisy labels and, if known, T into the run's folder, and records the run's inputs there.
func (r *run) writeInputs() error {
	folder := r.job.Folder
	labels := folder.Path(store.LabelsFile)
	if err := correction.WriteLabelsCSV(labels, r.source.Train.Labels, r.noisy); err != nil {
		return err
	}
	if r.nominal != nil {
		if err := r.nominal.WriteCSV(folder.Path(store.TransitionFile)); err != nil {
			return err
		}
	}
	sum, err := files.SHA256(labels)
	if err != nil {
		return err
	}
	hashes := map[string]string{}
	for _, f := range r.source.Files {
		hashes[f.Path] = f.SHA256
	}
	gpu, err := describeGPU(r.Config, r.device)
	if err != nil {
		return err
	}
	return folder.UpdateEnvironment(func(env *store.Environment) {
		env.GPU, env.Data, env.Inputs, env.Labels = gpu, hashes, r.Contents(), sum
	})
}

// divergedResult is the result when the cross-entropy run diverged and left no network to estimate T from: also
// diverged, with that run's accuracy and no epochs.
func (r *run) divergedResult() (store.Result, error) {
	return store.Result{
		Selected: r.first.Selected, Last: r.first.Last, State: store.Diverged, DataVariant: r.source.Variant,
		Warnings: []string{fmt.Sprintf("cross-entropy run %s diverged and left no network to estimate T from: "+
			"this run counts as diverged, with its accuracy; try a lower optimizer.learning_rate", r.job.DependencyFolder.ID)},
	}, os.WriteFile(r.job.Folder.Path(store.MetricsFile), nil, 0o666)
}

// training returns the training of the run.
func (r *run) training() *train.Run {
	t := &train.Run{
		Network: train.Network{
			Model: r.model, Loss: r.loss, Optimizer: r.optimizer(), Schedule: schedule(r.Config),
			Scaled: precision(r.Config) == torch.Float16,
		},
		Data:   r.split(),
		Random: train.Random{Shuffle: r.rng("shuffle"), Dropout: r.generator("dropout"), Loss: config.Stream(r.Seed, "loss")},
		Record: recordOf(r.Config) == config.RecordAuto,
	}
	if r.WarmupEpochs > 0 {
		t.WarmupEpochs, t.Warmup = r.WarmupEpochs, r.crossEntropy()
	}
	if r.source.Validation.Len() > 0 { // with true labels
		t.Selection = r.crossEntropy()
	}
	if s, ok := r.loss.(losses.Selector); ok {
		t.Selection = s.Selection()
	}
	if r.Augment == config.CropFlip {
		t.Data.Augment, t.Random.Augment = r.crop().Random, r.generator("augment")
	}
	if r.Validation.Penalty {
		t.Penalty = r.Optimizer.WeightDecay / 2
	}
	return t
}

// train trains with the job's checkpoints, metrics and progress.
func (r *run) train(ctx context.Context) (train.Summary, error) {
	t, job := r.training(), r.job
	metadata, err := store.WeightsMetadata(r.Config, r.source.input)
	if err != nil {
		return train.Summary{}, err
	}
	t.Checkpoints = train.Checkpoints{
		Dir: job.Folder.Path(store.CheckpointsDir), Every: job.CheckpointEvery,
		Identity: r.ID() + " on " + r.source.fingerprint(), Metadata: metadata, Guard: job.Folder.BeforeCheckpoint,
	}
	log := func(format string, args ...any) {
		fmt.Fprintf(job.Log, "%s "+format+"\n", append([]any{store.Timestamp()}, args...)...)
	}
	t.On = train.Events{
		Start: func(done []metrics.Epoch) error {
			if n := len(done); n > 0 {
				log("resumes after epoch %d", n)
				job.Progress.Resumed(n)
			}
			return job.Folder.ReviseEpochs(done)
		},
		Batch: job.Progress.Batch,
		Epoch: func(e metrics.Epoch) error {
			log("epoch %d: train loss %.4f, validation loss %.4f, accuracy %.2f %%, test accuracy %.2f %%", e.Epoch,
				e.TrainLoss, e.ValLoss, e.ValAccuracy, e.TestAccuracy)
			job.Progress.Epoch(e)
			return job.Folder.AppendEpoch(e)
		},
		Record: func(what string, err error) {
			if err == nil {
				log("%s: recorded, one launch for each batch", what)
			} else {
				job.Warn(fmt.Errorf("%s: not recorded, one launch for each kernel: %w", what, err))
			}
		},
		Warn: job.Warn,
	}
	outcome, err := t.Train(ctx)
	if errors.Is(err, train.ErrStopped) {
		err = fmt.Errorf("%w: %w", store.ErrStopped, context.Cause(ctx))
	}
	if err != nil {
		return outcome, err
	}
	return outcome, job.Folder.ReviseEpochs(outcome.Epochs) // restores a file deleted meanwhile
}

// result makes the result of a finished training; after cross-entropy it estimates T.
func (r *run) result(outcome train.Summary) (store.Result, error) {
	result := store.Result{Selected: outcome.Selected, Last: outcome.Last, State: store.Done,
		DataVariant: r.source.Variant}
	if outcome.Diverged {
		result.State = store.Diverged
	}
	if r.estimated == nil && r.Loss == losses.FirstLoss && r.Folds.Count == 0 && r.Corrected == "" {
		var err error
		if r.estimated, err = r.estimate(r.model); err != nil {
			// A diverged network has no posterior, but its run is still a result.
			result.Warnings = []string{"no estimate of T: " + err.Error()}
		} else if err := r.writeEstimate(); err != nil {
			return result, err
		}
	}
	result.Transition = r.describeTransitions()
	if r.estimated != nil {
		result.Warnings = r.estimated.Warnings
	}
	if !outcome.Diverged {
		var err error
		if result.CleanAccuracy, err = r.cleanAccuracy(); err != nil {
			return result, err
		}
	}
	for _, w := range slices.Concat(r.notes, r.transitionWarnings(), r.source.warnings()) {
		if !slices.Contains(result.Warnings, w) { // an estimate repeats the warnings of its cross-entropy run
			result.Warnings = append(result.Warnings, w)
		}
	}
	return result, nil
}

// writeEstimate writes T-hat if there is one.
func (r *run) writeEstimate() error {
	if r.estimated == nil {
		return nil
	}
	return r.estimated.T.WriteCSV(r.job.Folder.Path(store.EstimateFile))
}
