package train

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The same weights on the same batches give the losses stored by PyTorch (torch 2.11.0, testdata/parity.py), step by
// step, for every loss and optimizer.
func TestParityWithPyTorch(t *testing.T) {
	raw := expect.Got(os.ReadFile("testdata/parity.json"))(t)
	var golden struct{ Losses map[string][]float64 }
	expect.OK(t, json.Unmarshal(raw, &golden))
	if len(golden.Losses) != 18 {
		t.Fatalf("%d series, want 18", len(golden.Losses))
	}
	mnist := expect.Got(published.Open("mnist", dataset.Options{Root: "../../../data"}))(t)
	// Relative to the larger of 1 and the loss: backward's crosses zero.
	tolerance := map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-9}
	for name, want := range golden.Losses {
		t.Run(name, func(t *testing.T) {
			words := strings.Fields(name)
			dtype := torch.Float32
			if words[0] == "float64" {
				dtype = torch.Float64
			}
			torchtest.NoLeak(t, func() {
				got := parityLosses(t, mnist, dtype, words[1], words[2], len(want))
				torchtest.Near(t, name, got, want, tolerance[dtype])
			})
		})
	}
}

func parityLosses(t *testing.T, mnist *dataset.Dataset, dtype torch.DType, loss, optimizer string,
	steps int) []float64 {
	o := torch.Options{DType: dtype}
	net := nn.NewSequential(hashedLinear(0, 784, 128, o), nn.ReLU{}, hashedLinear(1, 128, 128, o), nn.ReLU{},
		hashedLinear(2, 128, 10, o))
	var opt optim.Optimizer
	switch optimizer {
	case "sgd":
		params := net.Parameters()
		for i := range params { // weight decay for biases too
			params[i].Role = nn.Weight
		}
		opt = optim.NewSGD(optim.SGD{LearningRate: .005, Momentum: .9, WeightDecay: 1e-4}, params)
	case "adagrad":
		opt = optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, net.Parameters())
		if dtype == torch.Float32 {
			for _, sum := range opt.State()[1:] {
				sum.Tensor.Fill(.1) // see parity.py for why
			}
		}
	case "adam":
		opt = optim.NewAdam(optim.Adam{LearningRate: 1e-3}, net.Parameters())
	default:
		t.Fatal("no optimizer ", optimizer)
	}
	var flips []correction.Flip
	for _, f := range published.All.Named("mnist").Flips {
		flips = append(flips, correction.Flip(f))
	}
	m := expect.Got(correction.Asymmetric(mnist.Classes, .3, flips))(t)
	options := losses.Options{Options: o}
	objective := losses.NewCrossEntropy(options)
	switch loss {
	case "forward":
		objective = losses.NewForward(m, options)
	case "backward":
		objective = expect.Got(losses.NewBackward(m, options))(t)
	}
	const batch = 128
	var losses []float64
	for k := range steps {
		torch.Scope(func() {
			x := torch.FromSlice(mnist.Train.X[k*batch*784:(k+1)*batch*784], batch,
				784).ToDType(torch.Float32).DivScalar(255).ToDType(dtype)
			y := make([]int64, batch)
			for i := range y {
				y[i] = int64(mnist.Train.Labels[k*batch+i])
			}
			l := objective.Apply(net.Forward(x, nn.Eval), torch.FromSlice(y))
			opt.ZeroGrad()
			l.Backward()
			opt.Step()
			losses = append(losses, l.Item())
		})
	}
	return losses
}

// hashedLinear draws weight i of a layer from its index, as parity.py does.
func hashedLinear(layer, in, out int, o torch.Options) *nn.Linear {
	weights := make([]float64, in*out)
	for i := range weights {
		unit := float64(uint32(uint64(i+1000003*layer)*2654435761)) / (1 << 32)
		weights[i] = (2*unit - 1) * math.Sqrt(6/float64(in))
	}
	parameter := func(v []float64, shape ...int) torch.Tensor {
		return torch.FromSlice(v, shape...).ToDType(o.DType).Clone().SetRequiresGrad(true)
	}
	return &nn.Linear{In: in, Out: out, Weight: parameter(weights, out, in), Bias: parameter(make([]float64, out), out)}
}
