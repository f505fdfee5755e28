package doctor

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// Size of the recorded training.
const epochs, batches, batch = 5, 20, 32

// recording compares a training with steps recorded and replayed by a GPU to one without.
func recording() []check {
	return []check{{"recorded training", 1e-3, func(m *machine) (float64, error) {
		if !m.Device.IsCUDA() {
			return 0, skip("only a GPU records steps")
		}
		plain, err := m.weights(false)
		if err != nil {
			return 0, err
		}
		recorded, err := m.weights(true)
		if err != nil {
			return 0, err
		}
		return deviation(recorded, plain)
	}}}
}

// weights returns the final weights of a small training. It returns an error if record is set but no step is
// recorded.
func (m *machine) weights(record bool) (all []float64, err error) {
	torch.Scope(func() {
		run, failed := smallRun(m.Device)
		if failed != nil {
			err = failed
			return
		}
		told := 0
		var refused error
		run.Record = record
		run.On.Record = func(what string, why error) {
			told++
			if why != nil {
				refused = fmt.Errorf("%s: not recorded: %w", what, why)
			}
		}
		if _, err = run.Train(m.ctx); err != nil {
			return
		}
		if err = refused; err == nil && record && told == 0 {
			err = fmt.Errorf("nothing was recorded in %d steps", epochs*batches)
		}
		for _, p := range run.Model.Parameters() {
			all = append(all, values(p.Tensor)...)
		}
	})
	return all, err
}

// smallRun returns the training of a small network with dropout on the device, in the current scope.
func smallRun(device torch.Device) (*train.Run, error) {
	network, err := models.MLP{Inputs: 50, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)),
		Device: device})
	if err != nil {
		return nil, err
	}
	d := newDraws()
	n := batches * batch
	x, y := d.normal(n, 50).ToDevice(device), d.integers(10, n).ToDevice(device)
	set := train.Set{X: x, Y: y, Index: torch.Arange(0, float64(n), 1, torch.Options{DType: torch.Int64, Device: device})}
	return &train.Run{
		Network: train.Network{Model: network, Optimizer: optim.NewAdam(optim.Adam{LearningRate: .003}, network.Parameters()),
			Loss: losses.NewCrossEntropy(losses.Options{Options: torch.Options{Device: device}})},
		Data:   train.Data{Train: set, Validation: set, Test: set, Epochs: epochs, Batch: batch},
		Random: train.Random{Shuffle: rand.NewPCG(1, 2), Dropout: torch.NewGenerator(3, device)},
	}, nil
}
