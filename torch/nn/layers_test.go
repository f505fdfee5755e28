package nn_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

type array struct {
	Shape []int
	Data  []float64
}

func (a array) tensor() torch.Tensor { return torchtest.FromSlice(a.Data, a.Shape...) }

type golden struct {
	State, Grads, After map[string]array
	X, Y                array
	GX                  *array
}

// torch 2.11.0, testdata/generate.py
func readGolden(t *testing.T) map[string]golden {
	data := expect.Got(os.ReadFile("testdata/golden.json"))(t)
	var raw map[string]json.RawMessage
	expect.OK(t, json.Unmarshal(data, &raw))
	delete(raw, "version")
	cases := map[string]golden{}
	for name, text := range raw {
		var g golden
		expect.OK(t, json.Unmarshal(text, &g))
		cases[name] = g
	}
	return cases
}

func float64Init(scheme string) nn.Init {
	return nn.Init{Rand: rand.New(rand.NewPCG(1, 2)), Scheme: scheme, DType: torch.Float64, Device: device}
}

type layerCase struct {
	make func() nn.Module
	mode nn.Mode
}

// Values, gradients and buffers after training of each layer against PyTorch, 1e-10.
func TestLayersMatchPyTorch(t *testing.T) {
	init := float64Init("")
	train := nn.Train(nil)
	layers := map[string]layerCase{
		"linear": {func() nn.Module { return nn.NewLinear(nn.Linear{In: 5, Out: 3}, init) }, train},
		"conv": {func() nn.Module {
			return nn.NewConv2d(nn.Conv2d{In: 2, Out: 3, Kernel: 3, Padding: 1}, init)
		}, train},
		"batch_norm1d_train": {func() nn.Module { return nn.NewBatchNorm1d(nn.BatchNorm{Features: 3}, init) }, train},
		"batch_norm1d_eval":  {func() nn.Module { return nn.NewBatchNorm1d(nn.BatchNorm{Features: 3}, init) }, nn.Eval},
		"batch_norm2d_train": {func() nn.Module {
			return nn.NewBatchNorm2d(nn.BatchNorm{Features: 2, Eps: 1e-3, Momentum: .01}, init)
		}, train},
		"embedding":  {func() nn.Module { return nn.NewEmbedding(nn.Embedding{Count: 7, Dim: 3}, init) }, train},
		"lstm":       {func() nn.Module { return nn.NewLSTM(nn.LSTM{In: 3, Hidden: 4}, init) }, train},
		"layer_norm": {func() nn.Module { return nn.NewLayerNorm(nn.LayerNorm{Features: 4}, init) }, train},
		"attention": {func() nn.Module {
			return nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 6, Heads: 2}, init)
		}, train},
		"adaptive": {func() nn.Module {
			return nn.NewSequential(nn.NewConv2d(nn.Conv2d{In: 1, Out: 2, Kernel: 3}, init), nn.AdaptiveAvgPool2d{},
				nn.Flatten{})
		}, train},
	}
	cases := readGolden(t)
	expect.Same(t, len(layers), len(cases), "golden cases")
	for name, layer := range layers {
		want, ok := cases[name]
		if !ok {
			t.Errorf("no golden case %s", name)
			continue
		}
		torchtest.NoLeak(t, func() {
			module := layer.make()
			state := map[string]torch.Tensor{}
			for key, value := range want.State {
				state[key] = value.tensor()
			}
			expect.OK(t, nn.LoadState(module.Parameters(), state))
			x := want.X.tensor()
			if want.GX == nil {
				x = x.ToDType(torch.Int64)
			} else {
				x.SetRequiresGrad(true)
			}
			y := module.Forward(x, layer.mode)
			torchtest.Close(t, name+" value", y, want.Y.Data, 1e-10)
			weights := torch.Linspace(-1, 1, y.Numel(), torch.Options{DType: torch.Float64,
				Device: device}).Reshape(y.Shape()...)
			y.Mul(weights).Sum().Backward()
			if want.GX != nil {
				torchtest.Close(t, name+" gradient of x", x.Grad(), want.GX.Data, 1e-10)
			}
			compared := 0
			for _, p := range module.Parameters() {
				if g, ok := want.Grads[p.Name]; ok {
					torchtest.Close(t, name+" gradient of "+p.Name, p.Tensor.Grad(), g.Data, 1e-10)
					compared++
				}
				if after, ok := want.After[p.Name]; ok {
					torchtest.Close(t, name+" "+p.Name, p.Tensor, after.Data, 1e-10)
					compared++
				}
			}
			expect.Same(t, len(module.Parameters()), compared, name+": parameters compared")
		})
	}
}
