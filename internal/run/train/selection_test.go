package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// script is a network, a loss and an optimizer with scripted results. The weight is the number of steps so far, and
// evaluation gives the epoch's loss and accuracy.
type script struct {
	weight   torch.Tensor
	losses   []float64 // of validation, by epoch
	accurate []bool    // whether validation examples are classified correctly
	epoch    int       // of the next validation
	testing  bool      // the next evaluation is on the test set
	applied  []string  // calls of the loss
	train    float64   // loss of the training batches
}

func (s *script) Parameters() []nn.Parameter {
	return []nn.Parameter{{Name: "w", Tensor: s.weight, Role: nn.Weight}}
}

// Forward returns logits for two classes; all labels but one of the test set are 1.
func (s *script) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	n := x.Size(0)
	if mode.Training {
		return torch.Zeros(torch.Options{}, n, 2).Add(s.weight)
	}
	right := 1.0
	if !s.testing && !s.accurate[s.epoch] {
		right = -1
	}
	if s.testing {
		s.testing, s.epoch = false, s.epoch+1
	} else {
		s.testing = true
	}
	return torch.FromSlice(slices.Repeat([]float32{0, float32(right)}, n), n, 2)
}

func (s *script) Apply(logits, _ torch.Tensor) torch.Tensor {
	if logits.RequiresGrad() {
		s.applied = append(s.applied, "train")
		return logits.Sum().MulScalar(0).AddScalar(s.train)
	}
	s.applied = append(s.applied, "validate")
	return torch.FromSlice([]float64{s.losses[s.epoch]}).Sum()
}

// count is the optimizer: each step adds one.
type count struct {
	optim.Optimizer
	weight torch.Tensor
	rate   float64
}

func (c *count) Step() {
	torch.NoGrad(func() { c.weight.AddInPlace(torch.Ones(torch.Options{}, 1), 1) })
}
func (c *count) ZeroGrad()                  {}
func (c *count) LearningRate() float64      { return c.rate }
func (c *count) SetLearningRate(to float64) { c.rate = to }

// scripted is a run of len(losses) epochs of two batches.
func scripted(losses []float64, accurate []bool) (*Run, *script) {
	long := torch.Options{DType: torch.Int64}
	weight := torch.Zeros(torch.Options{}, 1).SetRequiresGrad(true)
	s := &script{weight: weight, losses: losses, accurate: accurate, train: 3}
	set := Set{X: torch.Zeros(torch.Options{}, 4, 1), Y: torch.Ones(long, 4), Index: torch.Arange(0, 4, 1, long)}
	test := set // a quarter is classified wrongly
	test.Y = torch.FromSlice([]int64{1, 0, 1, 1})
	return &Run{
		Network: Network{Model: s, Loss: s, Optimizer: &count{weight: weight}},
		Data:    Data{Train: set, Validation: set, Test: test, Epochs: len(losses), Batch: 2},
		Random:  Random{Shuffle: rand.NewPCG(1, 0), Dropout: torch.NewGenerator(1, torch.CPU)},
	}, s
}

// The epoch with the lowest validation loss is selected, the first if equal, whatever the accuracies; the network ends
// with its weights.
func TestSelection(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		losses   []float64
		accurate []bool
		want     int
	}{
		"lowest":             {[]float64{3, 1, 2}, []bool{no, no, no}, 2},
		"last":               {[]float64{3, 2, 1}, []bool{yes, yes, yes}, 3},
		"first":              {[]float64{1, 2, 3}, []bool{yes, yes, yes}, 1},
		"first of equals":    {[]float64{2, 1, 1, 1}, []bool{no, no, no, no}, 2},
		"loss, not accuracy": {[]float64{3, 1, 2}, []bool{yes, no, yes}, 2},
		"negative":           {[]float64{-1, -3, -2}, []bool{no, no, no}, 2},
		"not a number later": {[]float64{1, math.NaN(), 2}, []bool{no, no, no}, 1},
		"not a number first": {[]float64{math.NaN(), 2, 1}, []bool{no, no, no}, 3},
		"no number after it": {[]float64{math.NaN(), 2, 3}, []bool{no, no, no}, 2},
		"never a number":     {[]float64{math.NaN(), math.NaN()}, []bool{no, no}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				r, s := scripted(c.losses, c.accurate)
				var epochs []metrics.Epoch
				r.On.Epoch = func(e metrics.Epoch) error { epochs = append(epochs, e); return nil }
				got := expect.Got(r.Train(t.Context()))(t)
				if got.Selected.Epoch != c.want || got.Last.Epoch != len(c.losses) || len(epochs) != len(c.losses) {
					t.Errorf("selected epoch %d of %d, want %d of %d", got.Selected.Epoch, got.Last.Epoch, c.want, len(c.losses))
				}
				if w := s.weight.Detach().Sum().Item(); w != float64(2*c.want) {
					t.Errorf("ends with the weights of step %v, want %d", w, 2*c.want)
				}
				for i, e := range epochs {
					accuracy := map[bool]float64{false: 0, true: 100}[c.accurate[i]]
					if !(e.ValLoss == c.losses[i] || math.IsNaN(c.losses[i])) || e.ValAccuracy != accuracy || e.TestAccuracy != 75 ||
						e.TrainLoss != 3 {
						t.Errorf("epoch %d: %+v, want a validation loss of %v, accuracies of %v and 75 and a training loss of 3", i+1, e,
							c.losses[i], accuracy)
					}
				}
			})
		})
	}
}

// Half of the sum of the squared weights joins the validation loss, and decides.
func TestSelectionWithPenalty(t *testing.T) {
	torchtest.NoLeak(t, func() {
		r, _ := scripted([]float64{3, 2.9, 0}, []bool{true, true, true})
		r.Penalty = .05 // weights are 2, 4, 6: penalties .2, .8, 1.8
		var losses []float64
		r.On.Epoch = func(e metrics.Epoch) error { losses = append(losses, e.ValLoss); return nil }
		got := expect.Got(r.Train(t.Context()))(t)
		torchtest.Near(t, "validation losses", losses, []float64{3.2, 3.7, 1.8}, 1e-6)
		if got.Selected.Epoch != 3 {
			t.Errorf("selected %d, want 3", got.Selected.Epoch)
		}
	})
}

// A loss that is not finite ends the run after the epoch. The best epoch with a finite loss is selected, or else the
// last.
func TestSelectionOfDiverged(t *testing.T) {
	torchtest.NoLeak(t, func() {
		r, s := scripted([]float64{2, 1, 3}, []bool{true, true, true})
		r.On.Epoch = func(e metrics.Epoch) error { s.train = math.Inf(1); return nil }
		got, err := r.Train(t.Context())
		if err != nil || !got.Diverged || got.Last.Epoch != 2 || got.Selected.Epoch != 2 {
			t.Errorf("%+v, %v; want an end in epoch 2", got, err)
		}
		r, s = scripted([]float64{math.NaN(), 1}, []bool{true, true})
		s.train = math.NaN()
		if got, err := r.Train(t.Context()); err != nil || !got.Diverged || got.Selected.Epoch != 1 {
			t.Errorf("%+v, %v; want epoch 1", got, err)
		}
	})
}

// Warm-up epochs train with Warmup and validate with Loss. The schedule sets the rate of each epoch, counted from 0.
func TestWarmupAndSchedule(t *testing.T) {
	torchtest.NoLeak(t, func() {
		r, s := scripted([]float64{1, 2, 3}, []bool{true, true, true})
		first := &script{train: 7}
		r.Warmup, r.WarmupEpochs = first, 1
		r.Schedule = optim.Steps(1, .1, 2)
		var rates, losses []float64
		r.On.Epoch = func(e metrics.Epoch) error {
			rates, losses = append(rates, e.LearningRate), append(losses, e.TrainLoss)
			return nil
		}
		expect.Got(r.Train(t.Context()))(t)
		if got := fmt.Sprint(len(first.applied), " ",
			s.applied); got != "2 [validate train train validate train train validate]" {
			t.Errorf("calls of the losses: %s", got)
		}
		torchtest.Near(t, "learning rates", rates, []float64{1, 1, .1}, 1e-12)
		torchtest.Near(t, "training losses", losses, []float64{7, 3, 3}, 1e-12)
	})
}
