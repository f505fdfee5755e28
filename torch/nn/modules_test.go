package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Where these tests run; see torchtest.Device.
var device = torchtest.Device()

var f32 = torch.Options{Device: device}

func names(params []nn.Parameter) []string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.Name
	}
	return list
}

func TestSequentialNamesAndRoles(t *testing.T) {
	defer torchtest.Scoped(t)()
	init := nn.Init{Rand: rand.New(rand.NewPCG(1, 1)), Device: device}
	inner := nn.NewSequential(nn.NewLinear(nn.Linear{In: 2, Out: 2}, init))
	model := nn.NewSequential(
		nn.NewConv2d(nn.Conv2d{In: 4, Out: 6, Kernel: 3, Groups: 2}, init),
		nn.Named("norm", nn.NewBatchNorm2d(nn.BatchNorm{Features: 2}, init)),
		inner,
		nn.NewLSTM(nn.LSTM{In: 1, Hidden: 1}, init),
	)
	want := []string{
		"0.weight", "0.bias", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var", "2.0.weight", "2.0.bias",
		"3.weight_ih_l0", "3.weight_hh_l0", "3.bias_ih_l0", "3.bias_hh_l0",
	}
	params := model.Parameters()
	expect.Same(t, want, names(params), "names")
	expect.Same(t, (6*2*9+6)+(2+2)+(4+2)+(4+4+4+4), nn.CountParameters(params), "parameters")
	roles := map[string]nn.Role{"0.weight": nn.Weight, "0.bias": nn.Bias, "norm.weight": nn.Norm, "norm.bias": nn.Norm,
		"norm.running_var": nn.Buffer, "3.weight_hh_l0": nn.Weight, "3.bias_ih_l0": nn.Bias}
	for _, p := range params {
		if role, ok := roles[p.Name]; ok && p.Role != role {
			t.Errorf("%s has role %v, want %v", p.Name, p.Role, role)
		}
		if p.Tensor.RequiresGrad() == (p.Role == nn.Buffer) {
			t.Errorf("%s requires grad: %v", p.Name, p.Tensor.RequiresGrad())
		}
	}
	if trainable := nn.Trainable(params); len(trainable) != len(params)-2 ||
		len(nn.Tensors(trainable)) != len(trainable) {
		t.Errorf("%d of %d are trainable", len(trainable), len(params))
	}
	expect.Same(t, []string{"0.weight", "0.bias"}, names(inner.Parameters()), "the layer's own names")
	torchtest.Raises(t, torch.Value, func() { nn.NewSequential(nn.Named("1", nn.ReLU{}), nn.ReLU{}) })
}

// Fused or not, ReLU and Dropout draw the same numbers.
func TestSequentialFusesReLUAndDropout(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(1, device)
	x := g.Normal(0, 1, f32, 50, 20)
	state := g.State()
	mode := nn.Train(g)
	fused := nn.NewSequential(nn.ReLU{}, nn.Dropout{P: .3}).Forward(x, mode)
	g.Restore(state)
	oneByOne := nn.Dropout{P: .3}.Forward(nn.ReLU{}.Forward(x, mode), mode)
	torchtest.Close(t, "one by one", oneByOne, torch.Slice[float64](fused), 0)
}

func TestDropoutOnlyInTraining(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torchtest.FromSlice([]float64{-1, 2, 3, 4}, 1, 2, 2)
	g := torch.NewGenerator(1, device)
	before := g.State()
	for _, layer := range []nn.Module{nn.Dropout{P: .9}, nn.NewSequential(nn.Dropout{})} {
		torchtest.Close(t, fmt.Sprintf("%T in eval", layer), layer.Forward(x, nn.Eval), []float64{-1, 2, 3, 4}, 0)
	}
	fused := func(p float64) nn.Module { return nn.NewSequential(nn.ReLU{}, nn.Dropout{P: p}) }
	torchtest.Close(t, "after ReLU in eval", fused(.9).Forward(x, nn.Eval), []float64{0, 2, 3, 4}, 0)
	torchtest.Close(t, "p 0 in training", nn.Dropout{}.Forward(x, nn.Train(g)), []float64{-1, 2, 3, 4}, 0)
	expect.Same(t, before, g.State(), "the stream, where nothing was to be drawn")
	for _, layer := range []nn.Module{nn.Dropout{P: .5}, fused(.5)} {
		e := torchtest.Raises(t, torch.Value, func() { layer.Forward(x, nn.Train(nil)) })
		expect.Says(t, e, "nn.Train")
	}
}

func TestLayersRefuseShapes(t *testing.T) {
	defer torchtest.Scoped(t)()
	init := nn.Init{Rand: rand.New(rand.NewPCG(1, 1)), Device: device}
	flat, image := torch.Ones(f32, 2, 3), torch.Ones(f32, 2, 3, 4, 4)
	for layer, x := range map[nn.Module]torch.Tensor{
		nn.NewLinear(nn.Linear{In: 4, Out: 2}, init):            flat,
		nn.NewConv2d(nn.Conv2d{In: 2, Out: 2, Kernel: 3}, init): image,
		nn.NewBatchNorm2d(nn.BatchNorm{Features: 3}, init):      flat,
		nn.NewBatchNorm1d(nn.BatchNorm{Features: 3}, init):      image,
		nn.NewBatchNorm1d(nn.BatchNorm{Features: 4}, init):      flat,
		nn.NewLSTM(nn.LSTM{In: 3, Hidden: 2}, init):             flat,
	} {
		torchtest.Raises(t, torch.Shape, func() { layer.Forward(x, nn.Train(nil)) })
	}
}

// A fused pair in a Sequential has the names and values of the two layers.
func TestSequentialFusesBatchNormAndReLU(t *testing.T) {
	defer torchtest.Scoped(t)()
	init := nn.Init{Rand: rand.New(rand.NewPCG(1, 1)), Device: device}
	norm := nn.NewBatchNorm2d(nn.BatchNorm{Features: 16}, init)
	model := nn.NewSequential(nn.ChannelsLast{}, norm, nn.ReLU{}, nn.AdaptiveAvgPool2d{})
	x := torch.NewGenerator(1, device).Normal(1, 2, f32, 4, 16, 3, 3)
	for _, mode := range []nn.Mode{nn.Train(nil), nn.Eval} {
		want := nn.AdaptiveAvgPool2d{}.Forward(norm.Forward(x, mode).ReLU(), mode)
		torchtest.Close(t, "fused", model.Forward(x, mode), torch.Slice[float64](want), 1e-6)
		if mode.Training { // both steps moved the running moments by the same amount
			norm.RunningMean.Fill(.5)
			norm.RunningVar.Fill(2)
		}
	}
	want := []string{"1.weight", "1.bias", "1.running_mean", "1.running_var"}
	expect.Same(t, want, names(model.Parameters()), "names")
	torchtest.Raises(t, torch.Shape, func() { model.Forward(torch.Ones(f32, 4, 17, 3, 3), nn.Eval) })
}

func TestLSTMWithOneBias(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, scheme := range []string{"", "torch_default"} {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 1)), Scheme: scheme, Device: device}
		lstm := nn.NewLSTM(nn.LSTM{In: 3, Hidden: 4, OneBias: true}, init)
		expect.Same(t, 16*3+16*4+16, nn.CountParameters(lstm.Parameters()), "parameters")
		lstm.Forward(torch.Ones(f32, 2, 5, 3), nn.Train(nil)).Sum().Backward()
		for _, p := range lstm.Parameters() {
			if p.Tensor.Grad().Defined() == (p.Name == "bias_hh_l0") {
				t.Errorf("%s: gradient %v", p.Name, p.Tensor.Grad().Defined())
			}
		}
		torchtest.Close(t, "bias_hh", lstm.Params[3], make([]float64, 16), 0)
	}
}

// Masked steps do not contribute: the rest equals the result without them, 1e-12.
func TestAttentionMask(t *testing.T) {
	defer torchtest.Scoped(t)()
	layer := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 4, Heads: 2}, float64Init(""))
	x := torch.NewGenerator(1, device).Normal(0, 1, torch.Options{DType: torch.Float64, Device: device}, 2, 3, 4)
	mask := torchtest.FromSlice([]bool{true, true, false}, 1, 1, 1, 3)
	masked := layer.Attend(x, mask, nn.Eval).Narrow(1, 0, 2)
	torchtest.Close(t, "masked", masked, torch.Slice[float64](layer.Forward(x.Narrow(1, 0, 2), nn.Eval)), 1e-12)
	torchtest.Raises(t, torch.Shape, func() { layer.Forward(x.Narrow(2, 0, 3), nn.Eval) })
}

// The output is float32 and within bfloat16's rounding of the network's own; parameters and gradients are float32,
// and the autocast mode ends.
func TestAutocast(t *testing.T) {
	defer torchtest.Scoped(t)()
	init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Device: device}
	network := nn.NewSequential(
		nn.ChannelsLast{}, nn.NewConv2d(nn.Conv2d{In: 3, Out: 16, Kernel: 3, Padding: 1, NoBias: true}, init),
		nn.NewBatchNorm2d(nn.BatchNorm{Features: 16}, init), nn.ReLU{}, nn.AdaptiveAvgPool2d{}, nn.Flatten{},
		nn.NewLinear(nn.Linear{In: 16, Out: 4}, init))
	half := nn.Autocast{Module: network, Device: device, DType: torch.BFloat16}
	x := torch.NewGenerator(1, device).Normal(0, 1, f32, 8, 3, 12, 12)
	want := torch.Slice[float64](network.Forward(x, nn.Train(nil)).ToDType(torch.Float64))
	y := half.Forward(x, nn.Train(nil))
	expect.Same(t, torch.Float32, y.DType(), "dtype of the output")
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
	after := x.Conv2d(network.Parameters()[0].Tensor, torch.Tensor{}, torch.Window{})
	expect.Same(t, torch.Float32, after.DType(), "dtype after the forward pass")
}
