package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// trace is what a run does, batch by batch, and its result.
type trace struct {
	batches []string        // the examples of each training batch, by epoch
	epochs  []metrics.Epoch // without seconds
	weights [][]float64     // of the model
	outcome Summary
}

// traced is a run whose dropout and augmentation record their input.
func traced(t *testing.T, dir string, optimizer int) (*Run, *trace) {
	t.Helper()
	model, err := models.MLP{Inputs: 4, Classes: 3, Hidden: []int{8},
		Dropout: .3}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0))})
	expect.OK(t, err)
	set := randomSet(37, 4)
	train := set
	train.Index = set.Index.Narrow(0, 2, 35) // 35 rows: four batches, the last of 5
	tr := &trace{}
	train.Prepare = func(x torch.Tensor) torch.Tensor {
		tr.batches = append(tr.batches, fmt.Sprintf("%d %.6v", x.Size(0), torch.Slice[float64](x.Sum())))
		return x
	}
	r := &Run{
		Network: Network{Model: model, Loss: losses.NewCrossEntropy(losses.Options{}), Schedule: optim.Steps(.05, .5, 2)},
		Data: Data{
			Train: train, Validation: set, Test: set, Epochs: 4, Batch: 10,
			Augment: func(x torch.Tensor, g *torch.Generator) torch.Tensor {
				return x.Add(g.Normal(0, .1, torch.Options{}, x.Shape()...))
			},
		},
		Random: Random{
			Shuffle: rand.NewPCG(2, 0), Dropout: torch.NewGenerator(3, torch.CPU), Augment: torch.NewGenerator(4, torch.CPU),
		},
		Checkpoints: Checkpoints{Dir: dir, Every: 1 << 62, Identity: "one"},
		On:          Events{Warn: func(err error) { t.Error(err) }},
	}
	params := model.Parameters()
	r.Optimizer = []optim.Optimizer{
		optim.NewSGD(optim.SGD{LearningRate: .05, Momentum: .9}, params),
		optim.NewAdaGrad(optim.AdaGrad{LearningRate: .05}, params), optim.NewAdam(optim.Adam{LearningRate: .05}, params),
	}[optimizer]
	r.On.Epoch = func(e metrics.Epoch) error {
		e.Seconds = 0
		tr.epochs = append(tr.epochs, e)
		return nil
	}
	return r, tr
}

// end trains to the end.
func (tr *trace) end(t *testing.T, r *Run) {
	t.Helper()
	tr.outcome = ended(t, r)
	for _, p := range r.Model.Parameters() {
		tr.weights = append(tr.weights, torch.Slice[float64](p.Tensor))
	}
}

// A run that stops within epochs, after any number of batches, trains on each remaining batch once, and ends like an
// undisturbed run, bit for bit.
func TestStopsWithinEpochs(t *testing.T) {
	const perEpoch, epochs = 4, 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for optimizer := range 3 {
		torchtest.NoLeak(t, func() {
			r, want := traced(t, t.TempDir(), optimizer)
			want.end(t, r)
			if len(want.batches) != perEpoch*epochs {
				t.Fatalf("%d batches, want %d", len(want.batches), perEpoch*epochs)
			}
			// Every place between two batches, and some pairs of places.
			plans := [][]int{}
			for at := 1; at < perEpoch*epochs; at++ {
				plans = append(plans, []int{at})
			}
			for range 10 {
				first := 1 + rng.IntN(perEpoch*epochs-2)
				plans = append(plans, []int{first, first + 1 + rng.IntN(perEpoch*epochs-first-1)})
			}
			for _, stops := range plans {
				dir := t.TempDir()
				var got trace
				done := 0 // batches
				for _, at := range stops {
					r, part := traced(t, dir, optimizer)
					ctx, cancel := context.WithCancel(context.Background())
					r.On.Batch = func(within, total int) {
						if total != perEpoch || within != done%perEpoch+1 {
							t.Errorf("stops %v: after %d batches comes batch %d of %d in its epoch", stops, done, within, total)
						}
						if done++; done == at {
							cancel()
						}
					}
					_, err := r.Train(ctx)
					cancel()
					if !errors.Is(err, ErrStopped) {
						t.Fatalf("stops %v: %v, want ErrStopped", stops, err)
					}
					got.batches = append(got.batches, part.batches...)
					got.epochs = append(got.epochs, part.epochs...)
					position := resumedAt(t, dir, optimizer)
					if position.Epoch*perEpoch+position.Batch != at || (at%perEpoch != 0) != (position.LossSum > 0) {
						t.Errorf("stops %v: the checkpoint is of %+v", stops, position)
					}
				}
				r, part := traced(t, dir, optimizer)
				started := -1
				r.On.Start = func(done []metrics.Epoch) error { started = len(done); return nil }
				part.end(t, r)
				if last := stops[len(stops)-1]; started != last/perEpoch {
					t.Errorf("stops %v: resumes after epoch %d, want %d", stops, started, last/perEpoch)
				}
				got.batches, got.epochs = append(got.batches, part.batches...), append(got.epochs, part.epochs...)
				got.weights, got.outcome = part.weights, part.outcome
				if !reflect.DeepEqual(got, *want) {
					t.Fatalf("seed %d, stops %v: ended with %+v, want %+v", seed, stops, got, *want)
				}
			}
		})
	}
}

// resumedAt returns the position in the newest checkpoint.
func resumedAt(t *testing.T, dir string, optimizer int) progress {
	t.Helper()
	r, _ := traced(t, dir, optimizer)
	var at progress
	torch.Scope(func() {
		s := newState(r)
		expect.OK(t, s.resume())
		at = s.at
	})
	return at
}
