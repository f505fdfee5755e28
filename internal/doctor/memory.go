package doctor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// memory is whether training takes more of it from step to step.
func memory() []check {
	const warmUp, measured = 200, 2000
	return []check{{fmt.Sprintf("level over %d steps", measured), 0, func(m *machine) (float64, error) {
		network, err := models.MLP{Inputs: 64, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)),
			Device: m.Device})
		if err != nil {
			return 0, err
		}
		images, err := models.ResNet{Depth: 8, Classes: 10}.New(nn.Init{Rand: rand.New(rand.NewPCG(2, 0)), Device: m.Device})
		if err != nil {
			return 0, err
		}
		d := newDraws()
		x, pixels, y := d.normal(32, 64).ToDevice(m.Device), d.normal(4, 3, 8, 8).ToDevice(m.Device),
			d.integers(10, 32).ToDevice(m.Device)
		few := y.Narrow(0, 0, 4)
		loss := losses.NewCrossEntropy(losses.Options{Options: torch.Options{Device: m.Device}})
		dropout := torch.NewGenerator(1, m.Device)
		sgd := func(n nn.Module) optim.Optimizer {
			return optim.NewSGD(optim.SGD{LearningRate: .01, Momentum: .9}, n.Parameters())
		}
		one, other := sgd(network), sgd(images)
		step := func(network nn.Module, optimizer optim.Optimizer, x, y torch.Tensor) {
			torch.Scope(func() {
				l := loss.Apply(network.Forward(x, nn.Train(dropout)), y)
				optimizer.ZeroGrad()
				l.Backward()
				optimizer.Step()
			})
		}
		var tensors int
		var bytes int64
		for i := range warmUp + measured {
			if i == warmUp {
				tensors, bytes = torch.Live(), m.held()
			}
			if err := m.ctx.Err(); err != nil {
				return 0, err
			}
			step(network, one, x, y)
			step(images, other, pixels, few)
		}
		if now := torch.Live(); now != tensors {
			return 0, fmt.Errorf("%d tensors are alive after %d steps, %d before", now, measured, tensors)
		}
		const allowed = 20 << 20
		if grown := m.held() - bytes; grown > allowed {
			return 0, fmt.Errorf("memory has grown by %d MiB in %d steps; %d are allowed", grown>>20, measured, allowed>>20)
		}
		return 0, nil
	}}}
}

// held is the bytes that tensors hold on a GPU, or that the process holds; 0 where
// neither is known.
func (m *machine) held() int64 {
	if m.Device.IsCUDA() {
		torch.Synchronize(m.Device)
		return torch.DeviceMemory(m.Device).Allocated
	}
	text, err := os.ReadFile("/proc/self/statm") // Linux only
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
