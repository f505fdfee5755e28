package torch_test

import (
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Further parts of the table of ops_test.go.

func attention(o torch.AttentionOptions) func([]tensor) []tensor {
	return func(x []tensor) []tensor {
		if len(x) == 4 {
			o.Mask = x[3]
		}
		return []tensor{torch.Attention(x[0], x[1], x[2], o)}
	}
}

var transformers = []op{
	{"Erf", one(tensor.Erf), false}, {"GELU", one(tensor.GELU), false}, {"GELUTanh", one(tensor.GELUTanh), false},
	{"SiLU", one(tensor.SiLU), false}, {"LeakyReLU", one(func(t tensor) tensor { return t.LeakyReLU(.2) }), false},
	{"GELU special", one(tensor.GELU), true}, {"SiLU special", one(tensor.SiLU), true}, {"Erf special", one(tensor.Erf), true},
	{"LayerNorm", func(x []tensor) []tensor { return []tensor{x[0].LayerNorm([]int{3, 4}, x[1], x[2], 1e-3)} }, false},
	{"LayerNorm plain", one(func(t tensor) tensor { return t.LayerNorm([]int{4}, tensor{}, tensor{}, 1e-5) }), false},
	{"GroupNorm", func(x []tensor) []tensor { return []tensor{x[0].GroupNorm(2, x[1], x[2], 1e-3)} }, false},
	{"GroupNorm plain", one(func(t tensor) tensor { return t.GroupNorm(4, tensor{}, tensor{}, 1e-5) }), false},
	{"Attention", attention(torch.AttentionOptions{}), false},
	{"Attention causal", attention(torch.AttentionOptions{Causal: true, Scale: .3}), false},
	{"Attention masked", attention(torch.AttentionOptions{}), false},
	{"Attention masked whole", attention(torch.AttentionOptions{}), false},
	{"Attention biased", attention(torch.AttentionOptions{}), false},
}

func conv1d(w torch.Window) func([]tensor) []tensor {
	return func(x []tensor) []tensor { return []tensor{x[0].Conv1d(x[1], append(x, tensor{})[2], w)} }
}

func convTranspose(w torch.Window) func([]tensor) []tensor {
	return func(x []tensor) []tensor { return []tensor{x[0].ConvTranspose2d(x[1], append(x, tensor{})[2], w)} }
}

func upsample(o torch.UpsampleOptions) func([]tensor) []tensor {
	return one(func(t tensor) tensor { return t.Upsample(o) })
}

var images = []op{
	{"Conv1d", conv1d(torch.Window{Stride: 2, Padding: 1}), false},
	{"Conv1d grouped", conv1d(torch.Window{Dilation: 2, Groups: 2}), false},
	{"Conv2d rectangular", conv(torch.Window{StrideHW: [2]int{2, 1}, PaddingHW: [2]int{0, 2}, DilationHW: [2]int{1, 2}}), false},
	{"ConvTranspose2d", convTranspose(torch.Window{Stride: 2, Padding: 1, OutputPadding: 1}), false},
	{"ConvTranspose2d rectangular", convTranspose(torch.Window{
		StrideHW: [2]int{1, 3}, PaddingHW: [2]int{1, 0}, OutputPaddingHW: [2]int{0, 2}, DilationHW: [2]int{2, 1}, Groups: 2,
	}), false},
	{"MaxPool2d rectangular", one(func(t tensor) tensor {
		return t.MaxPool2d(0, torch.Window{KernelHW: [2]int{2, 3}, StrideHW: [2]int{1, 2}, PaddingHW: [2]int{0, 1}})
	}), false},
	{"AvgPool2d rectangular", one(func(t tensor) tensor { return t.AvgPool2d(0, torch.Window{KernelHW: [2]int{3, 2}}) }), false},
	{"Upsample", upsample(torch.UpsampleOptions{Factor: 2}), false},
	{"Upsample size", upsample(torch.UpsampleOptions{Height: 3, Width: 7}), false},
	{"Upsample bilinear", upsample(torch.UpsampleOptions{Factor: 1.5, Mode: torch.Bilinear}), false},
	{"Upsample bilinear size", upsample(torch.UpsampleOptions{Height: 3, Width: 8, Mode: torch.Bilinear}), false},
	{"Upsample bilinear corners by factor", upsample(torch.UpsampleOptions{Factor: 1.5, Mode: torch.Bilinear, AlignCorners: true}), false},
	{"Upsample bilinear corners", upsample(torch.UpsampleOptions{Height: 7, Width: 4, Mode: torch.Bilinear, AlignCorners: true}), false},
}

func parts(f func(tensor) []tensor) func([]tensor) []tensor {
	return func(x []tensor) []tensor { return f(x[0]) }
}

func einsum(equation string) func([]tensor) []tensor {
	return func(x []tensor) []tensor { return []tensor{torch.Einsum(equation, x...)} }
}

var lists = []op{
	{"Split", parts(func(t tensor) []tensor { return t.Split(3, 2) }), false},
	{"SplitSizes", parts(func(t tensor) []tensor { return t.SplitSizes(1, 1, 0, 2) }), false},
	{"Chunk", parts(func(t tensor) []tensor { return t.Chunk(3, -1) }), false},
	{"Unbind", parts(func(t tensor) []tensor { return t.Unbind(1) }), false},
	{"Repeat", one(func(t tensor) tensor { return t.Repeat(2, 1, 2) }), false},
	{"Einsum", einsum("bij,bjk->bik"), false},
	{"Einsum sum", einsum("b...d,bc,c->d"), false},
	{"Einsum trace", einsum("ii"), false},
}

func crossEntropyWith(o torch.CrossEntropyOptions, classWeights ...float64) func([]tensor) []tensor {
	return two(func(t, y tensor) tensor {
		if len(classWeights) > 0 {
			o.Weight = torchtest.FromSlice(classWeights)
		}
		return t.CrossEntropyWith(y, o)
	})
}

var weighted = []op{
	{"CrossEntropyWith", crossEntropyWith(torch.CrossEntropyOptions{}, .5, 2, .25), false},
	{"CrossEntropyWith smoothing", crossEntropyWith(torch.CrossEntropyOptions{Smoothing: .1, Reduction: torch.ReduceSum}, .5, 2, .25), false},
	{"CrossEntropyWith ignored", crossEntropyWith(torch.CrossEntropyOptions{}), false},
	{"CrossEntropyWith first class ignored", crossEntropyWith(torch.CrossEntropyOptions{IgnoreIndex: new(0), Reduction: torch.ReduceNone}, .5, 2, .25), false},
	{"CrossEntropyWith pixels", crossEntropyWith(torch.CrossEntropyOptions{IgnoreIndex: new(2)}), false},
}
