package nn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

var f64 = torch.Options{DType: torch.Float64, Device: device}

// cross attends from the first two steps to the others, under a mask.
type cross struct{ *nn.MultiheadAttention }

func (c cross) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	mask := torchtest.FromSlice([]bool{false, true, true, false, true, false, true, true}, 2, 4)
	rest := x.Narrow(1, 1, x.Size(1)-1)
	return c.Attend(x.Narrow(1, 0, 2), rest, rest.MulScalar(2), mask, mode)
}

func transformerLayers(init nn.Init) map[string]layerCase {
	layers := map[string]func() nn.Module{
		"layer_norm":            func() nn.Module { return nn.NewLayerNorm(nn.LayerNorm{Features: 4}, init) },
		"layer_norm_shape":      func() nn.Module { return nn.NewLayerNorm(nn.LayerNorm{Shape: []int{3, 4}, Eps: 1e-3}, init) },
		"layer_norm_not_affine": func() nn.Module { return nn.NewLayerNorm(nn.LayerNorm{Features: 4, NoAffine: true}, init) },
		"group_norm":            func() nn.Module { return nn.NewGroupNorm(nn.GroupNorm{Groups: 2, Features: 4, Eps: 1e-3}, init) },
		"group_norm_not_affine": func() nn.Module { return nn.NewGroupNorm(nn.GroupNorm{Groups: 4, Features: 4, NoAffine: true}, init) },
		"conv1d": func() nn.Module {
			return nn.NewConv1d(nn.Conv1d{In: 4, Out: 6, Kernel: 3, Stride: 2, Padding: 2, Dilation: 2, Groups: 2}, init)
		},
		"conv_rectangular": func() nn.Module {
			return nn.NewConv2d(nn.Conv2d{
				In: 2, Out: 3, KernelHW: [2]int{1, 3}, StrideHW: [2]int{2, 1}, PaddingHW: [2]int{0, 2}, DilationHW: [2]int{1, 2},
			}, init)
		},
		"conv_transpose": func() nn.Module {
			return nn.NewConvTranspose2d(nn.ConvTranspose2d{In: 4, Out: 6, Kernel: 3, Stride: 2, Padding: 1, OutputPadding: 1, Groups: 2}, init)
		},
		"conv_transpose_rectangular": func() nn.Module {
			return nn.NewConvTranspose2d(nn.ConvTranspose2d{
				In: 2, Out: 3, NoBias: true, KernelHW: [2]int{2, 3}, StrideHW: [2]int{1, 3}, PaddingHW: [2]int{1, 0},
				OutputPaddingHW: [2]int{0, 2}, DilationHW: [2]int{2, 1},
			}, init)
		},
		"pool_rectangular": func() nn.Module {
			return nn.NewSequential(
				nn.MaxPool2d{KernelHW: [2]int{2, 1}, StrideHW: [2]int{1, 2}, PaddingHW: [2]int{1, 0}}, nn.AvgPool2d{KernelHW: [2]int{1, 2}})
		},
		"upsample": func() nn.Module {
			return nn.NewSequential(nn.Upsample{Factor: 2}, nn.Upsample{Height: 5, Width: 7, Mode: torch.Bilinear, AlignCorners: true})
		},
		"activations": func() nn.Module {
			return nn.NewSequential(nn.GELU{}, nn.NewLinear(nn.Linear{In: 5, Out: 4}, init), nn.GELU{Tanh: true}, nn.SiLU{},
				nn.LeakyReLU{}, nn.LeakyReLU{Slope: .2}, nn.Func(torch.Tensor.Tanh))
		},
		"attention": func() nn.Module { return nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 6, Heads: 2}, init) },
		"attention_causal": func() nn.Module {
			return nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 6, Heads: 3, NoBias: true, Causal: true}, init)
		},
		"attention_cross": func() nn.Module {
			return cross{nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 6, Heads: 2}, init)}
		},
	}
	cases := map[string]layerCase{}
	for name, make := range layers {
		cases[name] = layerCase{make, nn.Train(nil)}
	}
	return cases
}

// PyTorch's names, in its order, and which of them decay.
func TestAttentionParameters(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, scheme := range []string{"", "orthogonal", "torch_default"} {
			layer := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 4, Heads: 2}, float64Init(scheme))
			params := layer.Parameters()
			if got, want := names(params), []string{"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"}; !slices.Equal(got, want) {
				t.Errorf("names %q, want %q", got, want)
			}
			for i, role := range []nn.Role{nn.Weight, nn.Bias, nn.Weight, nn.Bias} {
				if params[i].Role != role || !params[i].Tensor.RequiresGrad() {
					t.Errorf("%s has role %v", params[i].Name, params[i].Role)
				}
				if zero := params[i].Tensor.Abs().Amax().Item() == 0; zero != (role == nn.Bias) {
					t.Errorf("%s %s starts from zero: %v", scheme, params[i].Name, zero)
				}
			}
		}
		bare := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 4, Heads: 2, NoBias: true}, float64Init(""))
		if got := names(bare.Parameters()); !slices.Equal(got, []string{"in_proj_weight", "out_proj.weight"}) {
			t.Errorf("names without biases are %q", got)
		}
	})
}

// Scales and shifts are no weights: they do not decay.
func TestNewLayersRoles(t *testing.T) {
	torchtest.NoLeak(t, func() {
		init := float64Init("")
		for name, c := range map[string]struct {
			layer nn.Module
			roles []nn.Role
		}{
			"layer norm":     {nn.NewLayerNorm(nn.LayerNorm{Features: 3}, init), []nn.Role{nn.Norm, nn.Norm}},
			"group norm":     {nn.NewGroupNorm(nn.GroupNorm{Groups: 1, Features: 3}, init), []nn.Role{nn.Norm, nn.Norm}},
			"conv1d":         {nn.NewConv1d(nn.Conv1d{In: 1, Out: 1, Kernel: 2}, init), []nn.Role{nn.Weight, nn.Bias}},
			"conv transpose": {nn.NewConvTranspose2d(nn.ConvTranspose2d{In: 1, Out: 1, Kernel: 2}, init), []nn.Role{nn.Weight, nn.Bias}},
		} {
			params := c.layer.Parameters()
			if got := names(params); !slices.Equal(got, []string{"weight", "bias"}) {
				t.Errorf("%s: parameters %q", name, got)
				continue
			}
			for i, role := range c.roles {
				if params[i].Role != role || !params[i].Tensor.RequiresGrad() {
					t.Errorf("%s: %s has role %v, want %v", name, params[i].Name, params[i].Role, role)
				}
			}
		}
	})
}

// Dropout of the weights draws from the mode's stream in training alone.
func TestAttentionDropout(t *testing.T) {
	torchtest.NoLeak(t, func() {
		layer := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 4, Heads: 2, Dropout: .5}, float64Init(""))
		g := torch.NewGenerator(1, device)
		x := g.Normal(0, 1, f64, 2, 6, 4)
		state := g.State()
		want := torch.Slice[float64](layer.Forward(x, nn.Eval))
		if !slices.Equal(g.State(), state) {
			t.Error("evaluation drew")
		}
		first := torch.Slice[float64](layer.Forward(x, nn.Train(g)))
		if slices.Equal(first, want) {
			t.Error("training dropped nothing")
		}
		g.Restore(state)
		torchtest.Close(t, "the same draws again", layer.Forward(x, nn.Train(g)), first, 0)
		e := torchtest.Raises(t, torch.Value, func() { layer.Forward(x, nn.Train(nil)) })
		if !strings.Contains(e.Error(), "nn.Train") {
			t.Errorf("%v does not say how to repair it", e)
		}
	})
}

func TestNewLayersRefuse(t *testing.T) {
	torchtest.NoLeak(t, func() {
		init := float64Init("")
		sequence, image := torch.Ones(f64, 2, 5, 4), torch.Ones(f64, 2, 4, 3, 3)
		attention := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 6, Heads: 2}, init)
		for name, c := range map[string]struct {
			kind torch.Kind
			f    func()
		}{
			"heads":               {torch.Value, func() { nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 6, Heads: 4}, init) }},
			"no heads":            {torch.Value, func() { nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 6}, init) }},
			"attention":           {torch.Shape, func() { attention.Forward(sequence, nn.Eval) }},
			"attention to images": {torch.Shape, func() { attention.Forward(image, nn.Eval) }},
			"attention's mask": {torch.Shape, func() {
				x := torch.Ones(f64, 2, 5, 6)
				attention.Attend(x, x, x, torch.Ones(torch.Options{DType: torch.Bool, Device: device}, 4, 5), nn.Eval)
			}},
			"groups":            {torch.Value, func() { nn.NewGroupNorm(nn.GroupNorm{Groups: 3, Features: 4}, init) }},
			"no groups":         {torch.Value, func() { nn.NewGroupNorm(nn.GroupNorm{Features: 4}, init) }},
			"group norm":        {torch.Shape, func() { nn.NewGroupNorm(nn.GroupNorm{Groups: 3, Features: 3}, init).Forward(image, nn.Eval) }},
			"layer norm's size": {torch.Value, func() { nn.NewLayerNorm(nn.LayerNorm{}, init) }},
			"layer norm twice":  {torch.Value, func() { nn.NewLayerNorm(nn.LayerNorm{Features: 4, Shape: []int{4}}, init) }},
			"layer norm":        {torch.Shape, func() { nn.NewLayerNorm(nn.LayerNorm{Features: 5}, init).Forward(sequence, nn.Eval) }},
			"conv1d":            {torch.Shape, func() { nn.NewConv1d(nn.Conv1d{In: 4, Out: 2, Kernel: 3}, init).Forward(sequence, nn.Eval) }},
			"conv's kernel":     {torch.Value, func() { nn.NewConv2d(nn.Conv2d{In: 4, Out: 2, Kernel: 3, KernelHW: [2]int{1, 3}}, init) }},
			"conv's no kernel":  {torch.Value, func() { nn.NewConv2d(nn.Conv2d{In: 4, Out: 2}, init) }},
			"conv's half kernel": {torch.Value, func() {
				nn.NewConvTranspose2d(nn.ConvTranspose2d{In: 4, Out: 2, KernelHW: [2]int{0, 3}}, init)
			}},
			"conv's stride": {torch.Value, func() {
				nn.NewConv2d(nn.Conv2d{In: 4, Out: 2, Kernel: 3, Stride: 2, StrideHW: [2]int{1, 2}}, init).Forward(image, nn.Eval)
			}},
			"conv transpose": {torch.Shape, func() {
				nn.NewConvTranspose2d(nn.ConvTranspose2d{In: 3, Out: 2, Kernel: 3}, init).Forward(image, nn.Eval)
			}},
			"pool":     {torch.Value, func() { nn.MaxPool2d{Kernel: 2, KernelHW: [2]int{1, 2}}.Forward(image, nn.Eval) }},
			"upsample": {torch.Value, func() { nn.Upsample{}.Forward(image, nn.Eval) }},
		} {
			if err := torch.Try(func() error { c.f(); return nil }); !torch.IsKind(err, c.kind) {
				t.Errorf("%s: %v, want kind %v", name, err, c.kind)
			}
		}
	})
}

// Under autocast a block of a transformer computes its products in bfloat16 and
// keeps parameters and gradients in float32, within what bfloat16's 8 bits allow.
func TestTransformerUnderAutocast(t *testing.T) {
	torchtest.NoLeak(t, func() {
		init := float64Init("torch_default")
		init.DType = torch.Float32
		x := torch.NewGenerator(1, device).Normal(0, 1, f32, 2, 4, 6, 6)
		for name, layer := range map[string]nn.Module{
			"attention": nn.NewSequential(
				nn.Func(func(x torch.Tensor) torch.Tensor { return x.Flatten(2, 3).Transpose(1, 2) }),
				nn.NewLinear(nn.Linear{In: 4, Out: 8}, init), nn.NewLayerNorm(nn.LayerNorm{Features: 8}, init),
				nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: 8, Heads: 2, Dropout: .25}, init), nn.GELU{}),
			"images": nn.NewSequential(
				nn.NewConvTranspose2d(nn.ConvTranspose2d{In: 4, Out: 6, Kernel: 3, Stride: 2}, init),
				nn.NewGroupNorm(nn.GroupNorm{Groups: 2, Features: 6}, init), nn.SiLU{}, nn.Upsample{Factor: 2, Mode: torch.Bilinear},
				nn.LeakyReLU{}, nn.Flatten{}, nn.Func(func(x torch.Tensor) torch.Tensor { return x.Unsqueeze(1) }),
				nn.NewConv1d(nn.Conv1d{In: 1, Out: 2, Kernel: 5}, init)),
		} {
			var reference, got []float64
			var gradients [2][]float64
			for i, run := range []func(func()){func(f func()) { f() }, func(f func()) { torch.Autocast(device, torch.BFloat16, f) }} {
				mode := nn.Train(torch.NewGenerator(2, device))
				run(func() {
					y := layer.Forward(x, mode)
					if want := []torch.DType{torch.Float32, torch.BFloat16}[i]; y.DType() != want {
						t.Errorf("%s: result is %v, want %v", name, y.DType(), want)
					}
					got = torch.Slice[float64](y)
					torch.ZeroGrad(nn.Tensors(layer.Parameters()))
					y.ToDType(torch.Float32).Square().Sum().Backward()
				})
				if i == 0 {
					reference = got
				}
				for _, p := range layer.Parameters() {
					if g := p.Tensor.Grad(); g.DType() != torch.Float32 {
						t.Errorf("%s: gradient of %s is %v", name, p.Name, g.DType())
					} else {
						gradients[i] = append(gradients[i], g.DivScalar(1+g.Abs().Amax().Item()).Sum().Item())
					}
				}
			}
			torchtest.Near(t, name, got, reference, 5e-2)
			torchtest.Near(t, name+" gradients", gradients[1], gradients[0], 1e-1)
		}
	})
}
