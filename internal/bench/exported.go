package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/training"
)

// errNoPython says that a measurement cannot be made without PyTorch.
var errNoPython = errors.New("it needs a PYTHON with torch, and torchvision for ResNet-18")

// newExported is a network of exported_step.py, which exports it first.
func newExported(name string) func(*bench) (*network, error) {
	return func(b *bench) (*network, error) {
		if b.python == "" {
			return nil, errNoPython
		}
		dir, err := os.MkdirTemp("", "losscorr-bench")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, name+".pt2")
		p, err := startPeer(b.python, "exported_step.py", b.data, name, file)
		if err != nil {
			return nil, err
		}
		p.stop()
		if _, err := os.Stat(file); err != nil {
			return nil, errors.Join(errNoPython, p.ended())
		}
		model, err := export.Load(file, export.Options{})
		if err != nil {
			return nil, err
		}
		const examples = 2 * batch
		g := torch.NewGenerator(3, torch.CPU)
		shape := append([]int{examples}, model.Input.Shape[1:]...)
		set := training.Set{Y: g.Integers(0, 10, torch.Options{DType: torch.Int64}, examples)}
		if model.Input.DType == torch.Int64 {
			set.X = g.Integers(0, 5000, torch.Options{DType: torch.Int64}, shape...)
		} else {
			set.X = g.Normal(0, 1, torch.Options{}, shape...)
		}
		return train(set, 10, model, optim.NewSGD(optim.SGD{LearningRate: .01, Momentum: .9}, model.Parameters())), nil
	}
}
