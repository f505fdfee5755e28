package torch_test

import "github.com/losscorr/losscorr/torch"

// Further parts of the table of ops_test.go.

func attention(x []tensor) []tensor {
	return []tensor{torch.Attention(x[0], x[1], x[2], append(x, tensor{})[3])}
}

var transformers = []op{
	{"GELU", one(tensor.GELU), false},
	{"GELU special", one(tensor.GELU), true},
	{"UpsampleBilinear", one(func(t tensor) tensor { return t.UpsampleBilinear(3, 8) }), false},
	{"LayerNorm", func(x []tensor) []tensor { return []tensor{x[0].LayerNorm([]int{3, 4}, x[1], x[2], 1e-3)} }, false},
	{"LayerNorm plain", one(func(t tensor) tensor { return t.LayerNorm([]int{4}, tensor{}, tensor{}, 1e-5) }), false},
	{"Attention", attention, false},
	{"Attention masked", attention, false},
	{"Attention masked whole", attention, false},
	{"Attention biased", attention, false},
}
