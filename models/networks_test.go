package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestParameterCounts(t *testing.T) {
	for _, c := range []struct {
		model constructor
		want  int
	}{
		{models.ResNet{Depth: 14, Classes: 10}, 175_066},
		{models.ResNet{Depth: 32, Classes: 10}, 466_714},
		{models.ResNet{Depth: 44, Classes: 100}, 666_996},
		{models.LSTM{}, 3_120_642},
		{models.LSTM{Dim: 512}, 4_924_930},
		{models.LSTM{OneBias: true}, 3_118_594},
		{models.ResNet50{Classes: 1000}, 25_557_032},
	} {
		torchtest.NoLeak(t, func() {
			if got := nn.CountParameters(drawn(t, c.model, torch.Float32).Parameters()); got != c.want {
				t.Errorf("%+v has %d parameters, want %d", c.model, got, c.want)
			}
		})
	}
}

func TestNetworksRefuse(t *testing.T) {
	init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0))}
	for _, depth := range []int{-4, 0, 2, 7, 16, 49} {
		if _, err := (models.ResNet{Depth: depth, Classes: 10}).New(init); err == nil || !strings.Contains(err.Error(), "6n + 2") {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	init.Scheme = "he_norma"
	for _, c := range []constructor{models.ResNet{Depth: 8}, models.ResNet50{}, models.LSTM{}} {
		if _, err := c.New(init); err == nil {
			t.Errorf("%T: an unknown initialiser was accepted", c)
		}
	}
}

// The last layer of every network, and no other, has an initialiser of its own if one is
// given.
func TestLastLayer(t *testing.T) {
	for _, entry := range models.All {
		if strings.Contains(entry.Name, "110") || entry.Name == "resnet50" { // large, and built of the same
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				weights := func(output string) []nn.Parameter {
					m, err := entry.New(models.Settings{Inputs: 784, Classes: 7}, nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal", Output: output})
					torchtest.OK(t, err)
					return m.Parameters()
				}
				usual, own := weights(""), weights("uniform_0.05")
				for k, p := range own {
					if len(p.Tensor.Shape()) != 2 || p.Tensor.Size(0) != 7 {
						if !slices.Equal(torch.Slice[float32](p.Tensor), torch.Slice[float32](usual[k].Tensor)) {
							t.Errorf("%s is drawn otherwise", p.Name)
						}
						continue
					}
					if largest := p.Tensor.Abs().Amax().Item(); largest > .05 || largest < .04 || usual[k].Tensor.Abs().Amax().Item() == largest {
						t.Errorf("the largest weight of %s is %v, and %v without an initialiser of its own", p.Name, largest, usual[k].Tensor.Abs().Amax().Item())
					}
				}
			})
		})
	}
}

// The published code's initialisers: Keras's for embedding and LSTM.
func TestLSTMStartsAsInKeras(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const hidden = 16
		for _, oneBias := range []bool{false, true} {
			state := nn.StateDict(drawn(t, models.LSTM{Words: 40, Dim: 8, Hidden: hidden, OneBias: oneBias}, torch.Float64).Parameters())
			for _, name := range []string{"embedding.weight", "lstm.weight_ih_l0"} {
				if largest := state[name].Abs().Amax().Item(); largest > .05 || largest < .045 {
					t.Errorf("%s goes up to %v, want uniform up to .05", name, largest)
				}
			}
			u := state["lstm.weight_hh_l0"]
			eye := torch.Eye(hidden, torch.Options{DType: torch.Float64})
			torchtest.Close(t, "recurrent weights squared", u.T().Mm(u), torch.Slice[float64](eye), 1e-12)
			bias := make([]float64, 4*hidden)
			for i := hidden; i < 2*hidden; i++ {
				bias[i] = 1
			}
			torchtest.Close(t, "bias", state["lstm.bias_ih_l0"], bias, 0)
			torchtest.Close(t, "other bias", state["lstm.bias_hh_l0"], make([]float64, 4*hidden), 0)
			if trained := state["lstm.bias_hh_l0"].RequiresGrad(); trained == oneBias {
				t.Errorf("OneBias %v, bias_hh is trained: %v", oneBias, trained)
			}
		}
	})
}

func TestLSTMDrops(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := torch.Zeros(torch.Options{DType: torch.Int64}, 3, 5)
		for _, m := range []models.LSTM{{Words: 9, Dim: 8, Hidden: 16, SpatialDropout: .5}, {Words: 9, Dim: 8, Hidden: 16, Dropout: .5}} {
			model := drawn(t, m, torch.Float32)
			still := model.Forward(x, nn.Eval)
			if moved := model.Forward(x, nn.Train(torch.NewGenerator(1, torch.CPU))).Sub(still).Abs().Amax().Item(); moved == 0 {
				t.Errorf("%+v: dropout changes nothing in training", m)
			}
		}
	})
}

// torchvision's names: 53 convolutions, a batch norm after each, one dense layer.
func TestResNet50HasTorchvisionsNames(t *testing.T) {
	torchtest.NoLeak(t, func() {
		var got, want []string
		for _, p := range drawn(t, models.ResNet50{Classes: 3}, torch.Float32).Parameters() {
			got = append(got, p.Name)
		}
		layer := func(conv, norm string) {
			want = append(want, conv+".weight", norm+".weight", norm+".bias", norm+".running_mean", norm+".running_var")
		}
		layer("conv1", "bn1")
		for stage, blocks := range []int{3, 4, 6, 3} {
			for i := range blocks {
				block := fmt.Sprintf("layer%d.%d.", stage+1, i)
				for k := 1; k <= 3; k++ {
					layer(fmt.Sprintf("%sconv%d", block, k), fmt.Sprintf("%sbn%d", block, k))
				}
				if i == 0 {
					layer(block+"downsample.0", block+"downsample.1")
				}
			}
		}
		want = append(want, "fc.weight", "fc.bias")
		if len(want) != 267 || !slices.Equal(got, want) {
			t.Errorf("%d names %v, want %d", len(got), got, len(want))
		}
	})
}

// A 224x224 image, the size that the network is made for.
func TestResNet50TakesImages(t *testing.T) {
	torchtest.NoLeak(t, func() {
		logits := drawn(t, models.ResNet50{Classes: 14}, torch.Float32).Forward(torch.Ones(torch.Options{}, 1, 3, 224, 224), nn.Eval)
		values := torch.Slice[float64](logits)
		if len(values) != 14 || slices.ContainsFunc(values, math.IsNaN) {
			t.Errorf("logits are %v", values)
		}
	})
}

func ExampleResNet() {
	if torch.Open() != nil {
		fmt.Println("[2 10]") // no libtorch here
		return
	}
	torch.Scope(func() {
		model, err := models.ResNet{Depth: 14, Classes: 10}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0))})
		if err != nil {
			fmt.Println(err)
			return
		}
		logits := model.Forward(torch.Zeros(torch.Options{}, 2, 3, 32, 32), nn.Eval)
		fmt.Println(logits.Shape())
	})
	// Output: [2 10]
}
