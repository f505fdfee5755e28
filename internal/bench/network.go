package bench

import (
	"fmt"
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
	device    torch.Device
	clock     func() time.Duration
	batch     int // examples per step
	set       train.Set
	examples  int
	model     nn.Module
	loss      losses.Loss
	optimizer optim.Optimizer
	dropout   *torch.Generator
	shuffle   *torch.Generator
}

// train is the last step of every constructor.
func (b *bench) train(set train.Set, classes int, model nn.Module, optimizer optim.Optimizer) *network {
	return &network{
		device: b.Device, clock: b.clock(), batch: batch, set: set, examples: set.X.Size(0), model: model,
		optimizer: optimizer,
		loss:      losses.NewCrossEntropy(losses.Options{Options: torch.Options{Device: b.Device}}),
		dropout:   torch.NewGenerator(1, b.Device), shuffle: torch.NewGenerator(2, b.Device),
	}
}

// check returns errLeftOut if the device has no fast arithmetic in a precision.
func (b *bench) check(precision torch.DType) error {
	if err := torch.CheckPrecision(b.Device, precision); err != nil {
		return fmt.Errorf("%w: %w", errLeftOut, err)
	}
	return nil
}

// autocast returns the model in a precision, bfloat16 by autocast as in PyTorch.
func (b *bench) autocast(model nn.Module, precision torch.DType) nn.Module {
	if precision == torch.Float32 {
		return model
	}
	return nn.Autocast{Module: model, Device: b.Device, DType: precision}
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
			rows := n.shuffle.Permutation(n.examples)
			torch.Synchronize(n.device)
			begun := n.clock()
			for step := range steps {
				torch.Scope(func() {
					x, y := n.set.Take(rows.Narrow(0, step*n.batch%n.examples, n.batch))
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
