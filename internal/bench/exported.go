package bench

import (
	"fmt"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/optim"
)

// newExported returns the constructor of a network that exported_step.py exports.
func newExported(name string) func(*bench) (*network, error) {
	return func(b *bench) (*network, error) {
		const wanted = "set PYTHON to an interpreter with torch, and torchvision for ResNet-18"
		if b.Python == "" {
			return nil, fmt.Errorf("%w: %s", errLeftOut, wanted)
		}
		dir, err := b.folder()
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, name+".pt2")
		if _, err := b.load("exported_step.py", name, file); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errLeftOut, wanted, err)
		}
		model, err := export.Load(file, export.Options{Device: b.Device})
		if err != nil {
			return nil, err
		}
		const examples = 2 * batch
		g, whole := torch.NewGenerator(3, b.Device), torch.Options{DType: torch.Int64, Device: b.Device}
		shape := append([]int{examples}, model.Input.Shape[1:]...)
		set := train.Set{Y: g.Integers(0, 10, whole, examples)}
		if model.Input.DType == torch.Int64 {
			set.X = g.Integers(0, 5000, whole, shape...)
		} else {
			set.X = g.Normal(0, 1, torch.Options{Device: b.Device}, shape...)
		}
		return b.train(set, 10, model, optim.NewSGD(optim.SGD{LearningRate: .01, Momentum: .9}, model.Parameters())), nil
	}
}
