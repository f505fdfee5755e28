package nn_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// A convolution whose weight lies channels innermost, as on a GPU, trains as one whose
// weight is row-major does: gradients and every optimizer's state take the weight's
// layout, files do not.
func TestConvolutionStoredChannelsLast(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for name, make := range map[string]func(p []nn.Parameter) optim.Optimizer{
			"momentum": func(p []nn.Parameter) optim.Optimizer {
				return optim.NewSGD(optim.SGD{LearningRate: .1, Momentum: .9, WeightDecay: .01}, p)
			},
			"adagrad": func(p []nn.Parameter) optim.Optimizer {
				return optim.NewAdaGrad(optim.AdaGrad{LearningRate: .1, Epsilon: 1e-8}, p)
			},
			"adam": func(p []nn.Parameter) optim.Optimizer { return optim.NewAdam(optim.Adam{LearningRate: .1}, p) },
		} {
			var weights, states [][]float64
			for _, last := range []bool{false, true} {
				conv := nn.NewConv2d(nn.Conv2d{In: 3, Out: 4, Kernel: 3, Padding: 1}, nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: torch.Float64, Device: device})
				if last {
					conv.StoreChannelsLast()
					if got := conv.Weight.Strides(); !slices.Equal(got, []int{27, 1, 9, 3}) || !conv.Weight.RequiresGrad() {
						t.Fatalf("strides %v, requires grad: %v", got, conv.Weight.RequiresGrad())
					}
				}
				optimizer := make(conv.Parameters())
				x := torch.NewGenerator(1, device).Normal(0, 1, torch.Options{DType: torch.Float64, Device: device}, 2, 3, 5, 5).ChannelsLast()
				for range 3 {
					optimizer.ZeroGrad()
					conv.Forward(x, nn.Eval).Square().Mean().Backward()
					optimizer.Step()
				}
				if got := conv.Weight.Grad().Strides(); !slices.Equal(got, conv.Weight.Strides()) {
					t.Errorf("%s: a gradient of strides %v, the weight has %v", name, got, conv.Weight.Strides())
				}
				state := nn.StateDict(optimizer.State())
				var all []float64
				for _, p := range optimizer.State() {
					if p.Tensor.Dim() == 4 && !slices.Equal(p.Tensor.Strides(), conv.Weight.Strides()) {
						t.Errorf("%s: %s has strides %v, the weight %v", name, p.Name, p.Tensor.Strides(), conv.Weight.Strides())
					}
					all = append(all, torch.Slice[float64](state[p.Name])...)
				}
				weights, states = append(weights, torch.Slice[float64](conv.Weight)), append(states, all)
				path := filepath.Join(t.TempDir(), "w.safetensors")
				torchtest.OK(t, torch.SaveSafetensors(path, nn.StateDict(conv.Parameters()), nil))
				read, _, err := torch.LoadSafetensors(path)
				torchtest.OK(t, err)
				torchtest.Close(t, name+" from a file", read["weight"], weights[len(weights)-1], 0)
			}
			torchtest.Near(t, name+" weight", weights[1], weights[0], 1e-12)
			torchtest.Near(t, name+" state", states[1], states[0], 1e-12)
		}
	})
}
