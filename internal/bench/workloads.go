package bench

import (
	"embed"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// batch is the number of examples per step, here and in the Python files.
const batch = 128

//go:embed *.py
var scripts embed.FS

// workload is a training step measured here and in PyTorch.
type workload struct {
	name, title string
	short       bool // also part of losscorr doctor
	dtype       torch.DType
	steps       int // per round on the CPU; ten times as many on a GPU
	rounds      int
	make        func(b *bench, init nn.Init) (nn.Module, train.Set, error)
	optimizer   func([]nn.Parameter) optim.Optimizer
	variants    []variant
}

// variant is PyTorch's side, a file of this folder and its arguments; the fastest counts. A compiled one has a name,
// and counts for itself.
type variant struct {
	name, script string
	arguments    []string
}

func eagerly(script string, arguments ...string) variant { return variant{"", script, arguments} }

// workloads lists the workloads. To add one, write a constructor, a Python file and a line here.
var workloads = []workload{
	{"mnist", "MNIST step", true, torch.Float32, 100, 15, mnist, adaGrad, []variant{
		eagerly("mnist_step.py"),
		{"torch.compile", "mnist_step.py", []string{"compile"}},
		{"JAX (jit, scan)", "mnist_step_jax.py", nil},
	}},
	{"mnist-bf16", "MNIST step in bfloat16", false, torch.BFloat16, 100, 15, mnist, adaGrad,
		[]variant{eagerly("mnist_step.py", "bfloat16")}},
	{"embedding-channels", "embedding step, dropout of channels", false, torch.Float32, 20, 9, embedding("channels"),
		adaGrad, []variant{eagerly("embedding_step.py", "channels")}},
	{"embedding-elements", "embedding step, dropout of elements", true, torch.Float32, 20, 9, embedding("elements"),
		adaGrad, []variant{eagerly("embedding_step.py", "elements")}},
	{"embedding-words", "embedding step, dropout of words", false, torch.Float32, 20, 9, embedding("words"), adaGrad,
		[]variant{eagerly("embedding_step.py", "words")}},
	{"resnet32", "ResNet-32 step", true, torch.Float32, 2, 5, resNet32, sgd(.1, 2e-4), []variant{
		eagerly("resnet32_step.py", "contiguous_format"),
		eagerly("resnet32_step.py", "channels_last"),
		{"torch.compile", "resnet32_step.py", []string{"channels_last", "compile"}},
	}},
	{"resnet32-bf16", "ResNet-32 step in bfloat16", true, torch.BFloat16, 2, 5, resNet32, sgd(.1, 2e-4), []variant{
		eagerly("resnet32_step.py", "contiguous_format", "bfloat16"),
		eagerly("resnet32_step.py", "channels_last", "bfloat16"),
	}},
	{"lstm256", "LSTM step, embedding of 256", true, torch.Float32, 1, 3, lstm(256), adaGrad,
		[]variant{eagerly("lstm_step.py", "256")}},
	{"lstm512", "LSTM step, embedding of 512", false, torch.Float32, 1, 3, lstm(512), adaGrad,
		[]variant{eagerly("lstm_step.py", "512")}},
	{"lstm256-bf16", "LSTM step in bfloat16, embedding of 256", false, torch.BFloat16, 1, 3, lstm(256), adaGrad,
		[]variant{eagerly("lstm_step.py", "256", "bfloat16")}},
	{"exported-resnet18", "step of an exported ResNet-18", true, torch.Float32, 1, 5, exported("resnet18"), sgd(.01, 0),
		[]variant{eagerly("exported_step.py", "resnet18"), eagerly("exported_step.py", "resnet18", "channels_last")}},
	{"exported-vit", "step of an exported vision transformer", false, torch.Float32, 2, 7, exported("vit"), sgd(.01, 0),
		[]variant{eagerly("exported_step.py", "vit")}},
	{"exported-text", "step of an exported text transformer", false, torch.Float32, 2, 7, exported("text"), sgd(.01, 0),
		[]variant{eagerly("exported_step.py", "text")}},
}

// Names lists the workloads.
func Names() []string {
	names := make([]string, len(workloads))
	for i, w := range workloads {
		names[i] = w.name
	}
	return names
}

func adaGrad(p []nn.Parameter) optim.Optimizer {
	return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, p)
}

func sgd(rate, decay float64) func([]nn.Parameter) optim.Optimizer {
	return func(p []nn.Parameter) optim.Optimizer {
		return optim.NewSGD(optim.SGD{LearningRate: rate, Momentum: .9, WeightDecay: decay}, p)
	}
}

// mnist is the MNIST network with dropout, on images that the program carries.
func mnist(b *bench, init nn.Init) (nn.Module, train.Set, error) {
	const examples = 12800
	data, err := published.Open("mnist", dataset.Options{Offline: true})
	if err != nil {
		return nil, train.Set{}, err
	}
	labels := make([]int64, examples)
	for i := range labels {
		labels[i] = int64(data.Train.Labels[i])
	}
	x := torch.FromSlice(data.Train.X[:examples*784], examples, 784).To(torch.Options{Device: b.Device})
	x.MulScalarInPlace(1.0 / 255)
	model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(init)
	return model, train.Set{X: train.Compressed(x), Y: torch.FromSlice(labels).ToDevice(b.Device)}, err
}

// embedding is the embedding network for IMDB with one kind of dropout, on reviews like IMDB's: words by Zipf's law,
// log-normal lengths, 200 words on average once cut, padded with zeros in front.
func embedding(dropoutOf string) func(*bench, nn.Init) (nn.Module, train.Set, error) {
	return func(b *bench, init nn.Init) (nn.Module, train.Set, error) {
		const n, length, words = 20 * batch, 400, 5000
		r := rand.New(rand.NewPCG(1, 0))
		zipf := rand.NewZipf(r, 1.05, 1, words-4)
		ids, labels := make([]int32, n*length), make([]int64, n)
		for i := range n {
			count := min(length, int(math.Exp(5.15+.65*r.NormFloat64())))
			for t := length - count; t < length; t++ {
				ids[i*length+t] = 3 + int32(zipf.Uint64())
			}
			labels[i] = int64(r.IntN(2))
		}
		set := train.Set{X: torch.FromSlice(ids, n, length).ToDevice(b.Device), Y: torch.FromSlice(labels).ToDevice(b.Device)}
		model, err := models.Embedding{Dropout: .8, DropoutUnits: dropoutOf}.New(init)
		return model, set, err
	}
}

// lstm is the network for IMDB with an embedding of size dim, on random words.
func lstm(dim int) func(*bench, nn.Init) (nn.Module, train.Set, error) {
	return func(b *bench, init nn.Init) (nn.Module, train.Set, error) {
		model, err := models.LSTM{Words: 5000, Dim: dim, Dropout: .5}.New(init)
		return model, random(b.Device, torch.Int64, 2, 2*batch, 400), err
	}
}

// resNet32 is the network for CIFAR-10 on random images.
func resNet32(b *bench, init nn.Init) (nn.Module, train.Set, error) {
	model, err := models.ResNet{Depth: 32, Classes: 10}.New(init)
	return model, random(b.Device, torch.Float32, 10, 4*batch, 3, 32, 32), err
}

// exported is a network that exported_step.py exports, on random examples.
func exported(name string) func(*bench, nn.Init) (nn.Module, train.Set, error) {
	return func(b *bench, _ nn.Init) (nn.Module, train.Set, error) {
		if b.peer == nil {
			return nil, train.Set{}, leftOut(fmt.Errorf("it needs a Python with torch, and torchvision for ResNet-18"))
		}
		dir, err := os.MkdirTemp("", "losscorr-bench")
		if err != nil {
			return nil, train.Set{}, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		file := filepath.Join(dir, name+".pt2")
		if _, err := b.peer.load("exported_step.py", name, file); err != nil {
			return nil, train.Set{}, leftOut(err)
		}
		model, err := export.Load(file, export.Options{Device: b.Device})
		if err != nil {
			return nil, train.Set{}, err
		}
		shape := append([]int{2 * batch}, model.Input.Shape[1:]...)
		return model, random(b.Device, model.Input.DType, 10, shape...), nil
	}
}

func leftOut(err error) error { return fmt.Errorf("%w: %w", errLeftOut, err) }

// random returns words, of 5,000, or normal draws, with labels.
func random(d torch.Device, dtype torch.DType, classes int, shape ...int) (set train.Set) {
	g, whole := torch.NewGenerator(3, d), torch.Options{DType: torch.Int64, Device: d}
	if dtype == torch.Int64 {
		set.X = g.Integers(0, 5000, whole, shape...)
	} else {
		set.X = g.Normal(0, 1, torch.Options{Device: d}, shape...)
	}
	set.Y = g.Integers(0, classes, whole, shape[0])
	return set
}
