package doctor

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// The training that a worker does: epochs of batches, a checkpoint after each epoch.
const (
	workEpochs  = 5
	workBatches = 20
	workBatch   = 32
)

// resume is a training in a process of its own, killed in the middle of an epoch and
// started again, against one that nothing disturbed: the same weights to the last bit.
func resume() []check {
	return []check{{"killed and resumed", 0, func(m *machine) (float64, error) {
		if m.Worker == nil {
			return 0, skip("no command for a process to kill")
		}
		dir, err := os.MkdirTemp("", "losscorr-doctor-")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		whole, err := m.work(filepath.Join(dir, "whole"), -1)
		if err != nil {
			return 0, err
		}
		broken := filepath.Join(dir, "broken")
		if _, err := m.work(broken, 2*workBatches+workBatches/2); !errors.Is(err, errKilled) {
			return 0, fmt.Errorf("the process that was to be killed: %w", errors.Join(err, errors.New("it ended by itself")))
		}
		again, err := m.work(broken, -1)
		if err != nil {
			return 0, err
		}
		if again.resumedAfter != 2 {
			return 0, fmt.Errorf("it resumed after epoch %d, want 2", again.resumedAfter)
		}
		if whole.digest != again.digest {
			return 0, errors.New("the weights differ from those of a training that was not killed")
		}
		return 0, nil
	}}}
}

var errKilled = errors.New("killed")

// worked is what a worker reports at its end.
type worked struct {
	resumedAfter int
	digest       string
}

// work runs a worker to its end, or kills it after so many of its batches.
func (m *machine) work(dir string, killAfter int) (done worked, err error) {
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	cmd := m.Worker(ctx, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return done, err
	}
	// The worker waits for an answer after each batch: however late this process reads,
	// the other is at the batch at which it is to be killed.
	in, err := cmd.StdinPipe()
	if err != nil {
		return done, err
	}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return done, err
	}
	batches, killed := 0, false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch word, rest, _ := strings.Cut(lines.Text(), " "); word {
		case "batch":
			if batches++; batches == killAfter {
				killed = true
				_ = cmd.Process.Kill() // Wait tells
			} else {
				_, _ = in.Write([]byte{0}) // fails where it has ended, and Wait tells
			}
		case "resumed":
			_, err = fmt.Sscan(rest, &done.resumedAfter)
		case "weights":
			done.digest = rest
		}
	}
	failed := cmd.Wait()
	switch {
	case killed:
		return done, errKilled
	case failed != nil:
		return done, fmt.Errorf("%w: %s", failed, strings.TrimSpace(complaint.String()))
	}
	return done, err
}

// Work is what a worker does: it trains a small network on the device, or resumes where
// a killed worker stopped, with checkpoints in dir, and writes to out a line
// for each batch, after which it waits for a byte from in or for its end, and at last a
// digest of the weights.
func Work(ctx context.Context, device torch.Device, dir string, in io.Reader, out io.Writer) error {
	return torch.Try(func() (err error) {
		if err := torch.CheckDevice(device); err != nil {
			return err
		}
		torch.SetThreads(1)
		torch.Deterministic(true)
		torch.Scope(func() { err = work(ctx, device, dir, in, out) })
		return err
	})
}

func work(ctx context.Context, device torch.Device, dir string, in io.Reader, out io.Writer) error {
	run, err := smallRun(device)
	if err != nil {
		return err
	}
	run.Checkpoints, run.Identity = dir, "doctor"
	run.OnStart = func(done []metrics.Epoch) error { _, err := fmt.Fprintln(out, "resumed", len(done)); return err }
	run.OnBatch = func(done, _ int) {
		fmt.Fprintln(out, "batch", done) //nolint:errcheck // whoever reads has gone
		_, _ = in.Read(make([]byte, 1))
	}
	if _, err := run.Train(ctx); err != nil {
		return err
	}
	h := sha256.New()
	for _, p := range run.Model.Parameters() {
		for _, v := range values(p.Tensor) {
			fmt.Fprintf(h, "%v\n", v)
		}
	}
	_, err = fmt.Fprintf(out, "weights %x\n", h.Sum(nil))
	return err
}

// smallRun is the training of a small network with dropout on the device, in the current scope.
func smallRun(device torch.Device) (*train.Run, error) {
	network, err := models.MLP{Inputs: 50, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)),
		Device: device})
	if err != nil {
		return nil, err
	}
	d := newDraws()
	n := workBatches * workBatch
	x, y := d.normal(n, 50).ToDevice(device), d.integers(10, n).ToDevice(device)
	set := train.Set{X: x, Y: y, Index: torch.Arange(0, float64(n), 1, torch.Options{DType: torch.Int64, Device: device})}
	return &train.Run{
		Model: network, Loss: losses.NewCrossEntropy(losses.Options{Options: torch.Options{Device: device}}),
		Optimizer: optim.NewAdam(optim.Adam{LearningRate: .003}, network.Parameters()),
		Data:      train.Data{Train: set, Validation: set, Test: set}, Epochs: workEpochs, Batch: workBatch,
		Shuffle: rand.NewPCG(1, 2), Dropout: torch.NewGenerator(3, device),
	}, nil
}
