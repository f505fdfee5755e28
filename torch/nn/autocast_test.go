package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The output is float32 again and within bfloat16's rounding of the network's own;
// parameters and their gradients are float32, and no mode is left behind.
func TestAutocast(t *testing.T) {
	torchtest.NoLeak(t, func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Device: device}
		network := nn.NewSequential(
			nn.ChannelsLast{}, nn.NewConv2d(nn.Conv2d{In: 3, Out: 16, Kernel: 3, Padding: 1, NoBias: true}, init),
			nn.NewBatchNorm2d(nn.BatchNorm{Features: 16}, init), nn.ReLU{}, nn.AdaptiveAvgPool2d{}, nn.Flatten{},
			nn.NewLinear(nn.Linear{In: 16, Out: 4}, init))
		half := nn.Autocast{Module: network, Device: device, DType: torch.BFloat16}
		x := torch.NewGenerator(1, device).Normal(0, 1, f32, 8, 3, 12, 12)
		want := torch.Slice[float64](network.Forward(x, nn.Train(nil)).ToDType(torch.Float64))
		y := half.Forward(x, nn.Train(nil))
		if y.DType() != torch.Float32 {
			t.Errorf("the output is %v", y.DType())
		}
		exact := true
		for i, g := range torch.Slice[float64](y.ToDType(torch.Float64)) {
			exact = exact && g == want[i]
			if math.Abs(g-want[i]) > .03 {
				t.Errorf("output %d is %v, in float32 %v", i, g, want[i])
			}
		}
		if exact {
			t.Error("the output is float32's to the last bit: nothing was computed in bfloat16")
		}
		y.CrossEntropy(torchtest.FromSlice([]int64{0, 1, 2, 3, 0, 1, 2, 3})).Backward()
		for _, p := range nn.Trainable(half.Parameters()) {
			if p.Tensor.DType() != torch.Float32 || p.Tensor.Grad().DType() != torch.Float32 {
				t.Errorf("%s is %v, its gradient %v", p.Name, p.Tensor.DType(), p.Tensor.Grad().DType())
			}
		}
		if d := x.Conv2d(network.Parameters()[0].Tensor, torch.Tensor{}, torch.Window{}).DType(); d != torch.Float32 {
			t.Errorf("after the forward pass, convolutions are computed in %v", d)
		}
	})
}
