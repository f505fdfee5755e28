package bench

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// network is a model in training. Its tensors belong to the scope it was made in.
type network struct {
	device           torch.Device
	clock            func() time.Duration
	set              train.Set
	model            nn.Module
	loss             losses.Loss
	optimizer        optim.Optimizer
	dropout, shuffle *torch.Generator
}

// network makes the model of a workload, in bfloat16 by autocast as in PyTorch. It returns errLeftOut if this machine
// cannot train it.
func (b *bench) network(w workload) (*network, error) {
	if err := torch.CheckPrecision(b.Device, w.dtype); err != nil {
		return nil, leftOut(err)
	}
	model, set, err := w.make(b, nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal", Device: b.Device})
	if err != nil {
		return nil, err
	}
	if w.dtype != torch.Float32 {
		model = nn.Autocast{Module: model, Device: b.Device, DType: w.dtype}
	}
	return &network{
		device: b.Device, clock: b.clock(), set: set, model: model, optimizer: w.optimizer(model.Parameters()),
		loss:    losses.NewCrossEntropy(losses.Options{Options: torch.Options{Device: b.Device}}),
		dropout: torch.NewGenerator(1, b.Device), shuffle: torch.NewGenerator(2, b.Device),
	}, nil
}

// clock returns the clock for timing steps.
func (b *bench) clock() func() time.Duration {
	if !b.CPUTime {
		start := time.Now()
		return func() time.Duration { return time.Since(start) }
	}
	return func() time.Duration {
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			panic(err) // fails only for wrong arguments
		}
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
}

// run returns the time of some steps, until the device has finished them.
func (n *network) run(steps int) (d time.Duration) {
	torch.OnStream(n.device, func() {
		torch.Scope(func() {
			examples := n.set.X.Size(0)
			rows := n.shuffle.Permutation(examples)
			torch.Synchronize(n.device)
			begun := n.clock()
			for step := range steps {
				torch.Scope(func() {
					x, y := n.set.Take(rows.Narrow(0, step*batch%examples, batch))
					loss := n.loss.Apply(n.model.Forward(x, nn.Train(n.dropout)), y)
					n.optimizer.ZeroGrad()
					loss.Backward()
					n.optimizer.Step()
				})
			}
			torch.Synchronize(n.device)
			d = n.clock() - begun
		})
	})
	return d
}
