package main

import (
	"embed"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/training"
)

// batch is the number of examples in every step, here and in the Python files.
const batch = 128

// workload is a training step that is measured here and in PyTorch.
type workload struct {
	name, title string
	steps       int // of a round
	rounds      int
	make        func(b *bench) (*network, error)
	script      string     // PyTorch's side, a file of this folder
	variants    [][]string // its arguments; the fastest is the one to compare with
}

// workloads is the table to extend: a line here, a constructor and a Python file.
var workloads = []workload{
	{"mnist", "MNIST step", 100, 15, newMNIST, "mnist_step.py", [][]string{nil}},
	{"embedding-channels", "embedding step, dropout of channels", 20, 9, newEmbedding("channels"), "embedding_step.py", [][]string{{"channels"}}},
	{"embedding-elements", "embedding step, dropout of elements", 20, 9, newEmbedding("elements"), "embedding_step.py", [][]string{{"elements"}}},
	{"embedding-words", "embedding step, dropout of words", 20, 9, newEmbedding("words"), "embedding_step.py", [][]string{{"words"}}},
	{"resnet32", "ResNet-32 step", 2, 5, newResNet32(torch.Float32), "resnet32_step.py", [][]string{{"contiguous_format"}, {"channels_last"}}},
	{"resnet32-bf16", "ResNet-32 step in bfloat16", 2, 5, newResNet32(torch.BFloat16), "resnet32_step.py", [][]string{{"contiguous_format", "bfloat16"}, {"channels_last", "bfloat16"}}},
	{"lstm256", "LSTM step, embedding of 256", 1, 3, newLSTM(256), "lstm_step.py", [][]string{{"256"}}},
	{"lstm512", "LSTM step, embedding of 512", 1, 3, newLSTM(512), "lstm_step.py", [][]string{{"512"}}},
	{"exported-resnet18", "step of an exported ResNet-18", 1, 5, newExported("resnet18"), "exported_step.py", [][]string{{"resnet18"}}},
	{"exported-vit", "step of an exported vision transformer", 2, 7, newExported("vit"), "exported_step.py", [][]string{{"vit"}}},
	{"exported-text", "step of an exported text transformer", 2, 7, newExported("text"), "exported_step.py", [][]string{{"text"}}},
}

//go:embed *.py
var scripts embed.FS

// compare is the median time of a step, ours and each variant's in turn.
func (b *bench) compare(w workload) error {
	net, err := w.make(b)
	if errors.Is(err, errNoPython) {
		fmt.Fprintf(b.out, "%s is left out: %v\n", w.title, err)
		return nil
	}
	if err != nil {
		return err
	}
	var peers []*peer
	if b.python != "" {
		for _, arguments := range w.variants {
			p, err := startPeer(b.python, w.script, append([]string{b.data}, arguments...)...)
			if err != nil {
				return err
			}
			defer p.stop()
			peers = append(peers, p)
		}
	}
	const warmUp = 1
	rounds := b.times(w.rounds)
	var ours []float64
	theirs := make([][]float64, len(peers))
	for round := range warmUp + rounds {
		mine := net.run(w.steps).Seconds() / float64(w.steps)
		if round >= warmUp {
			ours = append(ours, mine)
		}
		for i, p := range peers {
			seconds, err := p.run(w.steps)
			if err != nil {
				return err
			}
			if round >= warmUp {
				theirs[i] = append(theirs[i], seconds/float64(w.steps))
			}
		}
	}
	b.print(w, median(ours), theirs, rounds)
	return nil
}

func (b *bench) print(w workload, ours float64, theirs [][]float64, rounds int) {
	line := fmt.Sprintf("%s, batch %d: losscorr %s", w.title, batch, duration(ours))
	best := 0.
	for i, seconds := range theirs {
		m := median(seconds)
		line += fmt.Sprintf(", %s %s", strings.Join(append([]string{"PyTorch"}, w.variants[i]...), " "), duration(m))
		if i == 0 || m < best {
			best = m
		}
	}
	if len(theirs) > 0 {
		line += fmt.Sprintf(", ratio %.3f", ours/best)
	}
	fmt.Fprintf(b.out, "%s (median of %d rounds of %d steps)\n", line, rounds, w.steps)
}

func duration(seconds float64) string {
	if seconds < .01 {
		return fmt.Sprintf("%.0f us", 1e6*seconds)
	}
	return fmt.Sprintf("%.0f ms", 1e3*seconds)
}

// network is a model in training. Its tensors live as long as the program.
type network struct {
	set       training.Set
	examples  int
	model     nn.Module
	loss      correction.Loss
	optimizer optim.Optimizer
	dropout   *torch.Generator
	shuffle   *torch.Generator
}

// train is what a constructor ends with.
func train(set training.Set, classes int, model nn.Module, optimizer optim.Optimizer) *network {
	return &network{
		set: set, examples: set.X.Size(0), model: model, optimizer: optimizer,
		loss:    correction.NewCrossEntropy(classes, correction.LossOptions{}),
		dropout: torch.NewGenerator(1, torch.CPU), shuffle: torch.NewGenerator(2, torch.CPU),
	}
}

// run is the time of that many steps.
func (n *network) run(steps int) (d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	torch.Scope(func() {
		rows := n.shuffle.Permutation(n.examples)
		begun := time.Now()
		for step := range steps {
			torch.Scope(func() {
				x, y := n.set.Take(rows.Narrow(0, step*batch%n.examples, batch))
				loss := n.loss.Apply(n.model.Forward(x, nn.Train(n.dropout)), y)
				n.optimizer.ZeroGrad()
				loss.Backward()
				n.optimizer.Step()
			})
		}
		d = time.Since(begun)
	})
	return d
}
