package export_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Where these tests run; see torchtest.Device.
var device = torchtest.Device()

var f32 = torch.Options{Device: device}

func load(t *testing.T, name string) *export.Program {
	t.Helper()
	return expect.Got(export.Load("testdata/"+name, export.Options{Device: device}))(t)
}

func golden(t *testing.T, name string) map[string]torch.Tensor {
	t.Helper()
	state, _, err := torch.LoadSafetensors("testdata/" + name + ".safetensors")
	expect.OK(t, err)
	for key, value := range state {
		state[key] = value.ToDevice(device)
	}
	return state
}

func sgd(p *export.Program) optim.Optimizer {
	return optim.NewSGD(optim.SGD{LearningRate: .01, Momentum: .9}, p.Parameters())
}

func step(p *export.Program, opt optim.Optimizer, x, y torch.Tensor, mode nn.Mode) (loss float64) {
	torch.Scope(func() {
		l := p.Forward(x, mode).CrossEntropy(y)
		torch.ZeroGrad(nn.Tensors(nn.Trainable(p.Parameters())))
		l.Backward()
		opt.Step()
		loss = l.Item()
	})
	return loss
}

// torch 2.11.0, testdata/generate.py; 1e-5 relative, over 20 steps of SGD.
func TestTrainsAsPyTorchDoes(t *testing.T) {
	for _, name := range []string{"conv", "conv-functional", "vit", "text", "shortcut", "views", "views-functional"} {
		torchtest.Case(t, name, func(t *testing.T) {
			p, want := load(t, name+".pt2"), golden(t, strings.TrimSuffix(name, "-functional"))
			torch.NoGrad(func() {
				torchtest.Close(t, "logits", p.Forward(want["x"], nn.Eval), torch.Slice[float64](want["eval"]), 1e-5)
			})
			opt := sgd(p)
			for i, loss := range torch.Slice[float64](want["losses"]) {
				got := step(p, opt, want["x"], want["y"], nn.Train(nil))
				if math.Abs(got-loss) > 1e-5*loss {
					t.Fatalf("loss of step %d is %v, PyTorch has %v", i, got, loss)
				}
			}
			for _, param := range p.Parameters() {
				if strings.HasSuffix(param.Name, "num_batches_tracked") && param.Tensor.Item() != 20 {
					t.Errorf("%s is %v after 20 steps", param.Name, param.Tensor.Item())
				}
			}
			torch.NoGrad(func() {
				after := torch.Slice[float64](want["trained"])
				torchtest.Close(t, "logits after training", p.Forward(want["x"], nn.Eval), after, 1e-4)
			})
		})
	}
}

// A file with dropout on draws from the stream only in training.
func TestDropoutDrawsFromTheStream(t *testing.T) {
	for _, name := range []string{"conv", "vit", "text"} {
		torchtest.Case(t, name, func(t *testing.T) {
			p, want := load(t, name+"-dropout.pt2"), golden(t, name)
			x := want["x"]
			out := func(mode nn.Mode) []float64 { return torch.Slice[float64](p.Forward(x, mode)) }
			torchtest.Close(t, "logits of evaluation", p.Forward(x, nn.Eval), torch.Slice[float64](want["eval"]), 1e-5)
			one, again := out(nn.Train(torch.NewGenerator(1, device))), out(nn.Train(torch.NewGenerator(1, device)))
			other := out(nn.Train(torch.NewGenerator(2, device)))
			if name != "conv" && !slices.Equal(one, again) { // conv's batch norm moves between
				t.Error("the same stream gives other logits")
			}
			if slices.Equal(one, other) {
				t.Error("another stream gives the same logits")
			}
			stream, opt := torch.NewGenerator(3, device), sgd(p)
			first := step(p, opt, x, want["y"], nn.Train(stream))
			last := first
			for range 60 {
				last = step(p, opt, x, want["y"], nn.Train(stream))
			}
			if !(last < first) {
				t.Errorf("loss went from %v to %v", first, last)
			}
			err := torch.Try(func() error { p.Forward(x, nn.Train(nil)); return nil })
			expect.Says(t, err, "stream")
		})
	}
}

// Draws of all kinds, tied and frozen weights, lists of tensors, arithmetic on sizes. As in Python's model.eval(),
// draws have no effect in evaluation.
func TestZoo(t *testing.T) {
	defer torchtest.Scoped(t)()
	p, want := load(t, "zoo.pt2"), golden(t, "zoo")
	x := want["x"]
	torchtest.Close(t, "logits", p.Forward(x, nn.Eval), torch.Slice[float64](want["eval"]), 1e-5)
	one := torch.Slice[float64](p.Forward(x, nn.Train(torch.NewGenerator(1, device))))
	two := torch.Slice[float64](p.Forward(x, nn.Train(torch.NewGenerator(2, device))))
	if slices.Equal(one, two) {
		t.Error("two streams draw the same")
	}
	p.Forward(x, nn.Train(torch.NewGenerator(1, device))).Sum().Backward()
	for _, param := range p.Parameters() {
		if param.Role != nn.Buffer && !param.Tensor.Grad().Defined() {
			t.Errorf("%s has no gradient", param.Name)
		}
	}
}

// generate.py: nn.Embedding(50, dim) of the input; images have none.
func TestDescribeWords(t *testing.T) {
	for file, want := range map[string]int{"text.pt2": 50, "imdb.pt2": 5000, "conv.pt2": 0} {
		d := expect.Got(export.Describe("testdata/" + file))(t)
		expect.Same(t, want, d.Input.Words, file)
	}
}

// Convolution weights are laid out with channels innermost, like the images.
func TestImagesLieWithChannelsInnermost(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, p := range load(t, "cifar10.pt2").Parameters() {
		if p.Name == "conv.weight" {
			expect.Same(t, []int{72, 1, 24, 8}, p.Tensor.Strides(), "strides")
		}
	}
}

// A network that writes through a view of its images in the export's layout still writes to the images.
func TestWritesThroughAView(t *testing.T) {
	defer torchtest.Scoped(t)()
	written, err := export.Load(firstOf(t, "cifar10.pt2",
		called("aten.flatten.using_ints", "f", "self", tensorArg("x")),
		called("aten.relu_.default", "g", "self", tensorArg("f"))), export.Options{Device: device})
	expect.OK(t, err)
	torch.NoGrad(func() {
		x := torch.NewGenerator(1, torch.CPU).Normal(0, 1, torch.Options{}, 2, 3, 24, 24).ToDevice(device)
		want := torch.Slice[float64](load(t, "cifar10.pt2").Forward(x.ReLU(), nn.Eval))
		torchtest.Close(t, "logits", written.Forward(x, nn.Eval), want, 1e-5)
	})
}
