package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// ErrStopped reports that a run ended early because its context ended. It wrote a checkpoint, where it resumes.
var ErrStopped = errors.New("stopped after a checkpoint")

// Run is the training of one network. The caller makes the parts in a torch.Scope that outlives Train, which leaves no
// tensors of its own. Model, Loss, Optimizer, Data and Random are required; the other fields may be zero.
type Run struct {
	Network
	Data        Data
	Random      Random
	Checkpoints Checkpoints
	On          Events

	// Record makes a GPU record a training step and the evaluation of a batch, and repeat each with one launch. The work
	// is done normally if it cannot be recorded: with Scaled, with an optimizer from outside package optim, with a loss
	// that draws from losses.Batch.Rand, or if a step does something that cannot be recorded. The first recorded step is
	// checked against a normal one. A losses.Trainer is recorded again in each epoch.
	Record bool
}

// Network is the network to train, and how.
type Network struct {
	Model     nn.Module
	Loss      losses.Loss
	Optimizer optim.Optimizer
	Schedule  optim.Schedule // learning rate of a 0-based epoch; nil: the optimizer's

	// Selection replaces Loss on the validation set, which selects the epoch; nil: Loss. A corrected loss is for noisy
	// labels, so with true validation labels Selection is cross-entropy.
	Selection losses.Loss

	// Warmup replaces Loss in the first WarmupEpochs epochs of training; validation always uses Loss.
	Warmup       losses.Loss
	WarmupEpochs int

	// Penalty times the sum of the squared weights is added to the validation loss, as Keras does with its regularizers.
	Penalty float64

	// Scaled trains with optim.Scaler, as float16 networks need.
	Scaled bool
}

// Data holds the examples. The labels of Train and Validation are noisy, the labels of Test are clean.
type Data struct {
	Train, Validation, Test Set
	Epochs, Batch           int
	Steps                   int // batches per epoch; 0: one pass over the training set

	// Augment changes the examples of a training batch at random; nil: no augmentation.
	Augment func(x torch.Tensor, g *torch.Generator) torch.Tensor
}

// Random holds the random streams.
type Random struct {
	Shuffle *rand.PCG        // the order of the examples
	Dropout *torch.Generator // the masks of dropout
	Augment *torch.Generator // of Data.Augment; nil without it
	Loss    uint64           // seed for a losses.Trainer: each step has its own stream, by number
}

// Checkpoints configures checkpoints. One is written after the first epoch that ends at least Every after the last
// checkpoint, when the context ends, and at the end. If the first kind fails, Events.Warn gets the error, and training
// continues.
type Checkpoints struct {
	Dir      string // empty: none are written
	Every    time.Duration
	Identity string            // of the run and its data; checkpoints of others are refused
	Metadata map[string]string // of BestFile
	Guard    func() error      // called before each checkpoint; an error prevents it
}

// Events holds callbacks, which may be nil. An error from one ends the run.
type Events struct {
	Start  func(done []metrics.Epoch) error // with the epochs already in the checkpoint
	Batch  func(done, total int)            // after each batch
	Epoch  func(metrics.Epoch) error        // after each epoch
	Record func(what string, err error)     // err is nil if it was recorded, or why not
	Warn   func(error)                      // for problems that do not end the run
}

// Summary is the result of a finished run. The model then holds the weights of the selected epoch, unless the run
// diverged.
type Summary struct {
	Selected metrics.Epoch // with the lowest validation loss, the first if equal; the last if all are NaN
	Last     metrics.Epoch
	Diverged bool
	Epochs   []metrics.Epoch // all, in order
}

// progress is the position of a run, between two batches.
type progress struct {
	Epoch   int     // epochs done
	Batch   int     // batches done of the next epoch
	Order   []byte  // Shuffle's state at the start of the next epoch
	LossSum float64 // sum of the losses of these batches' examples
	Seconds float64 // time spent on the next epoch so far
	Scaler  optim.Scaler
	Outcome Summary
}

// Train trains the remaining epochs. It resumes from the newest intact checkpoint, selects the epoch with the lowest
// validation loss, and returns with the selected weights in the model and in BestFile. When ctx ends, it finishes the
// batch, writes a checkpoint and returns ErrStopped (context.Cause(ctx) without checkpoints). If the mean training loss
// of an epoch is not finite, the run ends with Summary.Diverged and no error: the model holds the last weights, and
// BestFile is not written. Train fails if the training set has fewer than Batch examples, or if a checkpoint belongs to
// another run.
func (r *Run) Train(ctx context.Context) (Summary, error) {
	if n, batch := r.Data.Train.Len(), r.Data.Batch; n < batch && r.Data.Steps == 0 {
		return Summary{}, fmt.Errorf("training: a batch of %d from %d examples: set batch_size to %d at most", batch, n, n)
	}
	var outcome Summary
	var err error
	r.onStream(func() {
		torch.Scope(func() { outcome, err = r.train(ctx) })
	})
	torch.TrimHost() // what follows may need the memory for other things
	return outcome, err
}

func (r *Run) train(ctx context.Context) (Summary, error) {
	s := newState(r)
	defer s.end()
	if err := s.resume(); err != nil {
		return Summary{}, err
	}
	if r.On.Start != nil {
		if err := r.On.Start(s.at.Outcome.Epochs); err != nil {
			return Summary{}, err
		}
	}
	for s.at.Epoch < r.Data.Epochs && !s.at.Outcome.Diverged {
		if err := s.epoch(ctx); err != nil {
			return s.at.Outcome, err
		}
	}
	if s.at.Outcome.Diverged {
		return s.at.Outcome, nil
	}
	return s.at.Outcome, s.finish()
}

// state is a run in progress.
type state struct {
	*Run
	at      progress
	params  []torch.Tensor // of the model, buffers included
	bestOf  []torch.Tensor // their values at the selected epoch
	lossSum torch.Tensor   // LossSum on the device: read once per epoch
	saved   time.Time
	damaged bool // LastFile is damaged, so PreviousFile must be kept
	unsaved bool // the last checkpoint failed, which was reported

	steps            recorder
	warming          bool // steps use Warmup
	validation, test *evaluation
}

func newState(r *Run) *state {
	s := &state{Run: r, saved: time.Now()}
	for _, p := range r.Model.Parameters() {
		s.params = append(s.params, p.Tensor)
		s.bestOf = append(s.bestOf, p.Tensor.Detach().Clone())
	}
	s.lossSum = torch.Zeros(torch.Options{DType: torch.Float64, Device: r.Data.Train.Y.Device()})
	s.at.Order, _ = r.Random.Shuffle.MarshalBinary() // cannot fail
	selection := r.Selection
	if selection == nil {
		selection = r.Loss
	}
	s.steps = recorder{worker: s, set: r.Data.Train, size: r.Data.Batch}
	s.validation = newEvaluation(r.Model, selection, r.Data.Validation, EvaluationBatches*r.Data.Batch)
	s.test = newEvaluation(r.Model, nil, r.Data.Test, EvaluationBatches*r.Data.Batch)
	s.record()
	return s
}

// epoch trains to the end of an epoch and evaluates the network.
func (s *state) epoch(ctx context.Context) error {
	if s.Schedule != nil {
		s.Optimizer.SetLearningRate(s.Schedule(s.at.Epoch))
	}
	s.renew()
	if err := s.Random.Shuffle.UnmarshalBinary(s.at.Order); err != nil {
		return fmt.Errorf("training: the order of the examples: %w", err)
	}
	n := s.Data.Train.Len()
	if s.Data.Steps > 0 {
		n = s.Data.Steps * s.Data.Batch
	}
	// A single example has no variance: a network with batch normalization skips a last batch of one, which is another
	// example in each epoch.
	if n > s.Data.Batch && n%s.Data.Batch == 1 && s.normalizes() {
		n--
	}
	rows := s.shuffled(n)
	defer rows.Free()
	total := (n + s.Data.Batch - 1) / s.Data.Batch
	begun := time.Now()
	s.lossSum.Fill(s.at.LossSum)
	start := s.at.Batch * s.Data.Batch
	rest := torch.Tidy(func() torch.Tensor { return rows.Narrow(0, start, n-start) })
	defer rest.Free()
	for p, err := range s.Data.Train.picks(rest, s.Data.Batch) {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			s.at.LossSum = s.lossSum.Item()
			s.at.Seconds += time.Since(begun).Seconds()
			return s.stop(ctx)
		}
		s.steps.do(p)
		s.at.Batch++
		if s.On.Batch != nil {
			s.On.Batch(s.at.Batch, total)
		}
	}
	trained := s.lossSum.Item() / float64(n)
	return s.endEpoch(trained, s.at.Seconds+time.Since(begun).Seconds())
}

// normalizes reports whether the network has batch normalization, by its running moments.
func (s *state) normalizes() bool {
	return slices.ContainsFunc(s.Model.Parameters(), func(p nn.Parameter) bool {
		return strings.HasSuffix(p.Name, "running_mean")
	})
}

// shuffled returns n rows of the training set in this epoch's order: consecutive random permutations of all rows.
func (s *state) shuffled(n int) torch.Tensor {
	return torch.Tidy(func() torch.Tensor {
		order := make([]int64, 0, n)
		for all := s.Data.Train.Len(); len(order) < n; {
			for _, j := range rand.New(s.Random.Shuffle).Perm(all)[:min(all, n-len(order))] {
				order = append(order, int64(j))
			}
		}
		index := s.Data.Train.Index
		return index.IndexSelect(0, torch.FromSlice(order).ToDevice(index.Device()))
	})
}

func (s *state) step(b Batch) {
	x := b.X
	if s.Data.Augment != nil {
		x = s.Data.Augment(x, s.Random.Augment)
	}
	rule := s.Loss
	if s.warming {
		rule = s.Warmup
	}
	loss := s.loss(rule, x, b)
	s.Optimizer.ZeroGrad()
	if s.Scaled {
		s.at.Scaler.Loss(loss).Backward()
		s.at.Scaler.Step(s.Optimizer, s.moved())
	} else {
		loss.Backward()
		s.Optimizer.Step()
	}
	s.lossSum.AddInPlace(loss.Detach(), float64(b.Y.Size(0)))
}

// loss returns the loss of a batch; x has its examples after augmentation.
func (s *state) loss(rule losses.Loss, x torch.Tensor, b Batch) torch.Tensor {
	forward := func(x torch.Tensor) torch.Tensor { return s.Model.Forward(x, nn.Train(s.Random.Dropout)) }
	trainer, ok := rule.(losses.Trainer)
	if !ok {
		return rule.Apply(forward(x), b.Y)
	}
	var draws rand.Source = rand.NewPCG(s.Random.Loss, uint64(s.at.Epoch)<<32|uint64(s.at.Batch))
	if s.steps.underWay {
		draws = noDraws{}
	}
	return trainer.Train(losses.Batch{X: x, Labels: b.Y, Rows: b.Rows, Epoch: s.at.Epoch, Forward: forward,
		Rand: rand.New(draws)})
}

// moved lists the parameters that the optimizer moves: the network's, and the loss's if it has any.
func (s *state) moved() []nn.Parameter {
	if learner, ok := s.Loss.(losses.Learner); ok {
		return append(s.Model.Parameters(), learner.Parameters()...)
	}
	return s.Model.Parameters()
}

// endEpoch evaluates the network after an epoch, and keeps its weights if the validation loss is the lowest so far.
func (s *state) endEpoch(trainLoss, seconds float64) error {
	e := metrics.Epoch{Epoch: s.at.Epoch + 1, LearningRate: s.Optimizer.LearningRate(), TrainLoss: trainLoss,
		Seconds: seconds}
	var err error
	if e.ValLoss, e.ValAccuracy, err = s.validation.run(); err != nil {
		return err
	}
	e.ValLoss += s.penalty()
	if _, e.TestAccuracy, err = s.test.run(); err != nil {
		return err
	}
	s.at.Outcome.Last = e
	s.at.Outcome.Epochs = append(s.at.Outcome.Epochs, e)
	if best := s.at.Outcome.Selected; best.Epoch == 0 || math.IsNaN(best.ValLoss) || e.ValLoss < best.ValLoss {
		s.at.Outcome.Selected = e
		copyAll(s.bestOf, s.params)
	}
	s.at.Epoch++
	s.at.Batch, s.at.LossSum, s.at.Seconds = 0, 0, 0
	s.at.Order, _ = s.Random.Shuffle.MarshalBinary()
	if s.On.Epoch != nil {
		if err := s.On.Epoch(e); err != nil {
			return err
		}
	}
	s.at.Outcome.Diverged = math.IsNaN(trainLoss) || math.IsInf(trainLoss, 0)
	if !s.at.Outcome.Diverged && time.Since(s.saved) >= s.Checkpoints.Every && s.at.Epoch < s.Data.Epochs {
		// A checkpoint that cannot be written may cost time, but no results.
		err := s.checkpoint()
		if err != nil && !s.unsaved && s.On.Warn != nil {
			s.On.Warn(fmt.Errorf("%w; training continues without it", err))
		}
		s.unsaved = err != nil
	}
	return nil
}

// penalty returns Penalty times the sum of the current network's squared weights.
func (s *state) penalty() (sum float64) {
	if s.Penalty == 0 {
		return 0
	}
	torch.Scope(func() {
		var squares []torch.Tensor
		for _, p := range s.Model.Parameters() {
			if p.Role == nn.Weight {
				w := p.Tensor.Detach()
				squares = append(squares, w.Mul(w).Sum())
			}
		}
		for _, square := range torch.Items(squares...) {
			sum += square
		}
	})
	return s.Penalty * sum
}

// copyAll copies each tensor to the one at the same place.
func copyAll(to, from []torch.Tensor) {
	torch.NoGrad(func() {
		for i := range to {
			to[i].CopyFrom(from[i])
		}
	})
}

// finish writes the last weights into the checkpoint, and the selected ones into BestFile and the model.
func (s *state) finish() error {
	if err := s.checkpoint(); err != nil {
		return err
	}
	copyAll(s.params, s.bestOf)
	return s.export()
}

func (s *state) stop(ctx context.Context) error {
	if s.Checkpoints.Dir == "" {
		return context.Cause(ctx)
	}
	if err := s.checkpoint(); err != nil {
		return err
	}
	return ErrStopped
}
