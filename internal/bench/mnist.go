package bench

import (
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/data"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// The scripts that read MNIST.
const (
	mnistScript    = "mnist_step.py"
	mnistJAXScript = "mnist_step_jax.py"
)

// newMNIST returns the constructor of the MNIST network with dropout, with AdaGrad.
func newMNIST(precision torch.DType) func(*bench) (*network, error) {
	return func(b *bench) (*network, error) { return b.mnist(precision) }
}

func (b *bench) mnist(precision torch.DType) (*network, error) {
	if err := b.check(precision); err != nil {
		return nil, err
	}
	const examples = 12800
	options := dataset.Options{Offline: true}
	if b.hasMNIST() {
		options.Root = filepath.Dir(b.Data)
	}
	mnist, err := published.Open("mnist", options)
	if err != nil {
		return nil, err
	}
	labels := make([]int64, examples)
	for i := range labels {
		labels[i] = int64(mnist.Train.Labels[i])
	}
	x := torch.FromSlice(mnist.Train.X[:examples*784], examples, 784).To(torch.Options{Device: b.Device})
	x.MulScalarInPlace(1.0 / 255)
	model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(b.initial())
	if err != nil {
		return nil, err
	}
	optimizer := optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters())
	set := train.Set{X: train.Compressed(x), Y: torch.FromSlice(labels).ToDevice(b.Device)}
	return b.train(set, 10, b.autocast(model, precision), optimizer), nil
}

const mnistImages, mnistLabels = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"

func (b *bench) hasMNIST() bool {
	_, err := os.Stat(filepath.Join(b.Data, mnistImages))
	return err == nil
}

// mnistFolder returns the folder of MNIST for Python: Options.Data, or a temporary folder
// with the program's own copy.
func (b *bench) mnistFolder() (string, error) {
	if b.hasMNIST() {
		return b.Data, nil
	}
	dir, err := b.folder()
	if err != nil {
		return "", err
	}
	for _, name := range []string{mnistImages, mnistLabels} {
		content, err := data.Files.ReadFile("mnist/" + name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func (b *bench) initial() nn.Init {
	return nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal", Device: b.Device}
}
