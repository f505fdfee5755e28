package models_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The networks for own data take inputs, classes and widths of any number.
func TestNetworksOfAnySize(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings models.Settings
		want     int // parameters
	}{
		{"linear", models.Settings{Inputs: 5, Classes: 3}, 5*3 + 3},
		{"mlp", models.Settings{Inputs: 5, Classes: 3}, 5*128 + 128 + 128*128 + 128 + 128*3 + 3},
		{"mlp", models.Settings{Inputs: 5, Classes: 3, Hidden: []int{7}}, 5*7 + 7 + 7*3 + 3},
		{"cnn", models.Settings{Inputs: 3 * 28 * 28, Classes: 4}, 9*(3*32+32*64+64*128) + 2*(32+64+128) + 128*4 + 4},
		{"word-average", models.Settings{Inputs: 30, Classes: 3, Vocabulary: 11, EmbeddingDim: 4}, 11*4 + 4*3 + 3},
		{"embedding", models.Settings{Inputs: 30, Classes: 3, Vocabulary: 11, EmbeddingDim: 4}, 11*4 + 30*4*3 + 3},
	} {
		torchtest.NoLeak(t, func() {
			torch.Scope(func() {
				net, err := models.All.Named(c.name).New(c.settings, nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"})
				torchtest.OK(t, err)
				if got := nn.CountParameters(net.Parameters()); got != c.want {
					t.Errorf("%s of %+v has %d parameters, want %d", c.name, c.settings, got, c.want)
				}
				if c.name == "cnn" {
					x := torch.Zeros(torch.Options{}, 2, 3, 28, 28)
					if shape := net.Forward(x, nn.Eval).Shape(); shape[0] != 2 || shape[1] != 4 {
						t.Errorf("cnn: logits %v, want [2 4]", shape)
					}
				}
			})
		})
	}
}

// The mean is over words, not over padding, and a text without words is the bias alone, in
// each dtype of weights.
func TestWordAverage(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, dtype := range []torch.DType{torch.Float32, torch.Float64, torch.BFloat16} {
			net, err := (models.WordAverage{Words: 5, Dim: 2, Classes: 1}).New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal", DType: dtype})
			torchtest.OK(t, err)
			torch.NoGrad(func() {
				for _, p := range net.Parameters() {
					switch p.Name {
					case "embedding.weight":
						p.Tensor.CopyFrom(torch.FromSlice([]float32{100, 100, 1, 0, 0, 2, 3, 0, 0, 4}, 5, 2))
					case "dense.weight":
						p.Tensor.CopyFrom(torch.FromSlice([]float32{1, 10}, 1, 2))
					case "dense.bias":
						p.Tensor.CopyFrom(torch.FromSlice([]float32{.5}))
					}
				}
			})
			x := torch.FromSlice([]int32{0, 0, 1, 2, 0, 0, 0, 3, 1, 1, 1, 4, 0, 0, 0, 0}, 4, 4)
			got := torch.Slice[float64](net.Forward(x, nn.Eval))
			// By hand: means (1/2, 1), (3, 0), (3/4, 1), none.
			for k, want := range []float64{11, 3.5, 11.25, .5} {
				if math.Abs(got[k]-want) > 1e-5 { // 11.25 and the others are numbers of bfloat16 too
					t.Errorf("%v text %d: %v, want %v", dtype, k, got[k], want)
				}
			}
		}
	})
}
