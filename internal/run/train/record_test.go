package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// trial is a training run on the test device: 90 examples, so that batches of 8 leave a short last one, five epochs, a
// falling learning rate.
type trial struct {
	name      string
	network   func(init nn.Init) (nn.Module, error) // nil: fully connected with dropout and batch norm
	images    bool                                  // examples are images, cropped at random
	optimizer func(params []nn.Parameter) optim.Optimizer
	loss      func(losses.Options) losses.Loss // nil: cross-entropy
	change    func(r *Run)
	alone     bool   // never stopped
	says      string // why steps are not recorded; empty: they are
}

func sgd(params []nn.Parameter) optim.Optimizer {
	return optim.NewSGD(optim.SGD{LearningRate: .05, Momentum: .9, WeightDecay: 1e-3}, params)
}

func network(init nn.Init) (nn.Module, error) {
	return nn.NewSequential(
		nn.NewLinear(nn.Linear{In: 12, Out: 16}, init), nn.NewBatchNorm1d(nn.BatchNorm{Features: 16}, init), nn.ReLU{},
		nn.Dropout{P: .3},
		nn.NewLinear(nn.Linear{In: 16, Out: 3}, init)), nil
}

func trainOnGPU(t *testing.T) {
	t.Helper()
	torchtest.Open(t)
	if !device.IsCUDA() {
		t.Skip("of a GPU: make test-device")
	}
}

// run makes the run in the current scope; told collects what Events.Record gets.
func (c trial) run(t *testing.T, dir string, record bool, told map[string]string) *Run {
	t.Helper()
	const n = 90
	long := torch.Options{DType: torch.Int64, Device: device}
	shape := []int{n, 12}
	if c.images {
		shape = []int{n, 3, 32, 32}
	}
	g := torch.NewGenerator(1, torch.CPU)
	set := Set{
		X:     g.Uniform(-1, 1, torch.Options{}, shape...).ToDevice(device),
		Y:     g.Integers(0, 3, torch.Options{DType: torch.Int64}, n).ToDevice(device),
		Index: torch.Arange(0, n, 1, long),
	}
	make := c.network
	if make == nil {
		make = network
	}
	model := expect.Got(make(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Device: device}))(t)
	newLoss, newOptimizer := c.loss, c.optimizer
	if newLoss == nil {
		newLoss = losses.NewCrossEntropy
	}
	if newOptimizer == nil {
		newOptimizer = sgd
	}
	r := &Run{
		Network: Network{
			Model: model, Loss: newLoss(losses.Options{Rows: n, Options: torch.Options{Device: device}}),
			Schedule: optim.Steps(.05, .5, 1, 3),
		},
		Data: Data{
			Train: set, Validation: Set{X: set.X, Y: set.Y, Index: set.Index.Narrow(0, 0, 83)}, Test: set,
			Epochs: 5, Batch: 8,
		},
		Random:      Random{Shuffle: rand.NewPCG(2, 0), Dropout: torch.NewGenerator(3, device), Loss: 11},
		Checkpoints: Checkpoints{Dir: dir, Every: -1, Identity: "trial"},
		Record:      record,
		On: Events{Record: func(what string, err error) {
			if said, again := told[what]; again && said != fmt.Sprint(err) {
				t.Errorf("%s: %q, then %v", what, said, err)
			}
			told[what] = fmt.Sprint(err)
		}},
	}
	r.Optimizer = newOptimizer(r.Model.Parameters())
	if learner, ok := r.Loss.(losses.Learner); ok {
		r.Optimizer = newOptimizer(append(r.Model.Parameters(), learner.Parameters()...))
	}
	if c.images {
		r.Data.Augment, r.Random.Augment = Crop{Height: 32, Width: 32, Pad: 4, Flip: true}.Random, torch.NewGenerator(4, device)
	}
	if c.change != nil {
		c.change(r)
	}
	return r
}

// trained holds everything that a training run results in.
type trained struct {
	Weights, Optimizer map[string][]float64
	Epochs             []metrics.Epoch
	Dropout, Augment   []byte // states of the random streams
}

// train trains to the end, stopped and resumed at the batches in stops.
func (c trial) train(t *testing.T, record bool, told map[string]string, stops ...int) (out trained) {
	t.Helper()
	dir := t.TempDir()
	for i := range len(stops) + 1 {
		torch.Scope(func() {
			r := c.run(t, dir, record, told)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			batches := 0
			r.On.Batch = func(int, int) {
				if batches++; i < len(stops) && batches == stops[i] {
					cancel()
				}
				if g, ok := r.Loss.(*growing); ok {
					g.factor = float64(int(1) << batches)
				}
			}
			outcome, err := r.Train(ctx)
			if i < len(stops) {
				if !errors.Is(err, ErrStopped) {
					t.Fatal("not stopped: ", err)
				}
				return
			}
			expect.OK(t, err)
			out = trained{map[string][]float64{}, map[string][]float64{}, outcome.Epochs, r.Random.Dropout.State(), nil}
			if r.Random.Augment != nil {
				out.Augment = r.Random.Augment.State()
			}
			for k := range out.Epochs {
				out.Epochs[k].Seconds = 0
			}
			for _, p := range r.Model.Parameters() {
				out.Weights[p.Name] = torch.Slice[float64](p.Tensor.Detach())
			}
			for _, p := range r.Optimizer.State() {
				out.Optimizer[p.Name] = torch.Slice[float64](p.Tensor)
			}
		})
	}
	return out
}

var trials = []trial{
	{name: "sgd"},
	{name: "sgd, no momentum", optimizer: func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: .05}, p)
	}},
	{name: "adagrad", optimizer: func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .05, WeightDecay: 1e-3}, p)
	}},
	{name: "adam", optimizer: func(p []nn.Parameter) optim.Optimizer {
		return optim.NewAdam(optim.Adam{LearningRate: .05}, p)
	}},
	{name: "residual network, augmentation", images: true, network: func(init nn.Init) (nn.Module, error) {
		return models.ResNet{Depth: 8, Classes: 3}.New(init)
	}, change: func(r *Run) { r.Data.Epochs = 2 }},
	{name: "bfloat16", network: func(init nn.Init) (nn.Module, error) {
		inner, err := network(init)
		return nn.Autocast{Module: inner, Device: init.Device, DType: torch.BFloat16}, err
	}},
	{name: "steps per epoch, penalty", change: func(r *Run) { r.Data.Steps, r.Penalty = 20, 1e-3 }},
	{name: "another loss at first", change: func(r *Run) {
		identity, _ := correction.Identity([]string{"a", "b", "c"})
		r.Warmup, r.WarmupEpochs = losses.NewForward(identity,
			losses.Options{Options: torch.Options{Device: r.Data.Train.Y.Device()}}), 2
	}},
	{name: "a loss that keeps targets", loss: named("elr")},
	{name: "a loss that depends on the epoch", loss: func(o losses.Options) losses.Loss {
		o.Settings.Gradual = 4
		return named("co-teaching")(o)
	}, network: func(init nn.Init) (nn.Module, error) {
		first, err := network(init)
		if err != nil {
			return nil, err
		}
		second, err := network(init)
		return models.NewPair(first, second), err
	}},
	{name: "a loss that draws", loss: named("mixup"), says: "the loss draws random numbers on the host"},
	{name: "a loss that looks", loss: func(o losses.Options) losses.Loss {
		return looking{losses.NewCrossEntropy(o)}
	},
		says: "capturing"},
	{name: "a loss that depends on what the host counts", loss: func(o losses.Options) losses.Loss {
		return &growing{losses.NewCrossEntropy(o), 1}
	}, change: func(r *Run) { r.Data.Epochs, r.Data.Steps = 1, 8 }, alone: true, says: "differently from a step that is not recorded"},
	{name: "float16", network: func(init nn.Init) (nn.Module, error) {
		inner, err := network(init)
		return nn.Autocast{Module: inner, Device: init.Device, DType: torch.BFloat16}, err
	}, change: func(r *Run) { r.Scaled = true }, says: "float16"},
	{name: "an optimizer of others", optimizer: func(p []nn.Parameter) optim.Optimizer {
		return struct{ optim.Optimizer }{sgd(p)}
	},
		says: "keeps its learning rate on the host"},
}

// named makes a loss of the table, for three classes with symmetric noise of .4.
func named(name string) func(losses.Options) losses.Loss {
	return func(o losses.Options) losses.Loss {
		t, _ := correction.Symmetric([]string{"a", "b", "c"}, .4)
		loss, _ := losses.All.Named(name).New(t, o)
		return loss
	}
}

// looking is a loss that reads a value on the host.
type looking struct{ losses.Loss }

func (l looking) Apply(logits, labels torch.Tensor) torch.Tensor {
	if torch.GradEnabled() && logits.Sum().Item() > 1e9 {
		panic("a very large sum")
	}
	return l.Loss.Apply(logits, labels)
}

// growing is a loss with a factor on the host that doubles at each batch.
type growing struct {
	losses.Loss
	factor float64
}

func (g *growing) Apply(logits, labels torch.Tensor) torch.Tensor {
	if !torch.GradEnabled() {
		return g.Loss.Apply(logits, labels)
	}
	return g.Loss.Apply(logits, labels).MulScalar(g.factor)
}

// Recorded training equals normal training to the last bit in everything that changes between steps: weights, the
// optimizer's state and step count, the learning rate, random streams, running moments, losses and accuracies. Work
// that cannot be recorded is reported once and done normally. Stopping in the first steps, in the middle or in a last
// batch changes nothing.
func TestRecordedTraining(t *testing.T) {
	trainOnGPU(t)
	for _, c := range trials {
		t.Run(c.name, func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				want := c.train(t, false, nil)
				told := map[string]string{}
				expect.Same(t, want, c.train(t, true, told), "recorded")
				for what, said := range told {
					if what == "training steps" && c.says != "" {
						if !strings.Contains(said, c.says) {
							t.Errorf("the reason is %q, want %q", said, c.says)
						}
					} else if said != "<nil>" {
						t.Errorf("%s: %s", what, said)
					}
				}
				if len(told) != 3 {
					t.Errorf("reports of %v, want training, validation and test", told)
				}
				if c.alone {
					return
				}
				expect.Same(t, want, c.train(t, true, map[string]string{}, 2, 9, 4), "stopped and resumed")
			})
		})
	}
}
