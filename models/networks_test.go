package models_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Networks have the published numbers of parameters, and the right ones for other sizes.
func TestParameterCounts(t *testing.T) {
	own := models.Settings{Inputs: 5, Classes: 3}
	words := models.Settings{Inputs: 30, Classes: 3, Vocabulary: 11, EmbeddingDim: 4}
	images := models.Settings{Inputs: 3 * 28 * 28, Classes: 4}
	for _, c := range []struct {
		model constructor
		want  int
	}{
		{models.ResNet{Depth: 14, Classes: 10}, 175_066},
		{models.ResNet{Depth: 32, Classes: 10}, 466_714},
		{models.ResNet{Depth: 44, Classes: 100}, 666_996},
		{models.LSTM{}, 3_120_642},
		{models.LSTM{OneBias: true}, 3_118_594},
		{models.ResNet50{Classes: 1000}, 25_557_032},
		{models.Embedding{Dropout: .8}, 290_002},
		{models.MLP{Inputs: 784, Classes: 10, Dropout: .2}, 118_282},
		{named{"linear", own}, 5*3 + 3},
		{named{"mlp", own}, 5*128 + 128 + 128*128 + 128 + 128*3 + 3},
		{named{"mlp", models.Settings{Inputs: 5, Classes: 3, Hidden: []int{7}}}, 5*7 + 7 + 7*3 + 3},
		{named{"cnn", images}, 9*(3*32+32*64+64*128) + 2*(32+64+128) + 128*4 + 4},
		{named{"word-average", words}, 11*4 + 4*3 + 3},
		{named{"embedding", words}, 11*4 + 30*4*3 + 3},
	} {
		torchtest.NoLeak(t, func() {
			got := nn.CountParameters(undrawn(t, c.model, torch.Float32).Parameters())
			expect.Same(t, c.want, got, fmt.Sprintf("%T %+v", c.model, c.model))
		})
	}
}

// named is a network of the table.
type named struct {
	name     string
	settings models.Settings
}

func (n named) New(init nn.Init) (nn.Module, error) {
	return models.All.Named(n.name).New(n.settings, init)
}

// encoder is a network that computes only features.
type encoder func(nn.Init) (nn.Module, error)

func (e encoder) New(init nn.Init) (nn.Module, error) { return e(init) }

func TestNetworksRefuse(t *testing.T) {
	for want, networks := range map[string][]constructor{
		"6n + 2": {models.ResNet{Depth: -4}, models.ResNet{Depth: 0}, models.ResNet{Depth: 2}, models.ResNet{Depth: 7},
			models.ResNet{Depth: 16}, models.ResNet{Depth: 49}},
		"he_norma": {models.ResNet{Depth: 8}, models.ResNet50{}, models.LSTM{}, models.MLP{Inputs: 2, Classes: 2},
			models.Embedding{}, encoder(models.EfficientNetLite2{}.Features)},
		"letters": {models.Embedding{Dropout: .8, DropoutUnits: "letters"}},
		"heads":   {encoder(models.BERT{Dim: 10, Heads: 3}.Features)},
	} {
		for _, n := range networks {
			scheme := "he_normal"
			if want == "he_norma" {
				scheme = want
			}
			expect.Says(t, expect.Err(n.New(nn.Init{Scheme: scheme})), want)
		}
	}
}

// Logits are [N classes], repeatable in evaluation and different in training with dropout.
func TestDropoutInTraining(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(1, torch.CPU)
	words := torch.Zeros(torch.Options{DType: torch.Int64}, 3, 5)
	for _, c := range []struct {
		model constructor
		x     torch.Tensor
	}{
		{models.MLP{Inputs: 784, Classes: 2, Dropout: .2}, g.Uniform(0, 1, torch.Options{}, 3, 784)},
		{models.LSTM{Words: 9, Dim: 8, Hidden: 16, SpatialDropout: .5}, words},
		{models.LSTM{Words: 9, Dim: 8, Hidden: 16, Dropout: .5}, words},
	} {
		model := drawn(t, c.model, torch.Float32)
		still := torch.Slice[float64](model.Forward(c.x, nn.Eval))
		torchtest.Close(t, "evaluation repeats", model.Forward(c.x, nn.Eval), still, 0)
		train := torch.Slice[float64](model.Forward(c.x, nn.Train(g)))
		if len(still) != 6 || slices.Equal(train, still) {
			t.Errorf("%+v: %v in evaluation, %v in training", c.model, still, train)
		}
	}
}

// Only the last layer of a network uses the separate initialiser.
func TestLastLayer(t *testing.T) {
	for _, entry := range models.All {
		if strings.HasPrefix(entry.Name, "resnet") && entry.Name != "resnet8" { // larger, and built of the same
			continue
		}
		torchtest.Case(t, entry.Name, func(t *testing.T) {
			weights := func(output string) []nn.Parameter {
				init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal", Output: output}
				m := expect.Got(entry.New(models.Settings{Inputs: 784, Classes: 7, Vocabulary: 50, EmbeddingDim: 8}, init))(t)
				return m.Parameters()
			}
			usual, own := weights(""), weights("uniform_0.05")
			for k, p := range own {
				if len(p.Tensor.Shape()) != 2 || p.Tensor.Size(0) != 7 {
					same(t, p.Name, p.Tensor, usual[k].Tensor)
					continue
				}
				largest, other := p.Tensor.Abs().Amax().Item(), usual[k].Tensor.Abs().Amax().Item()
				if largest > .05 || largest < .04 || largest == other {
					t.Errorf("%s goes up to %v, and to %v without an initialiser of its own", p.Name, largest, other)
				}
			}
		})
	}
}

// Embedding and LSTM start with Keras's initialisers, as in the published code.
func TestLSTMStartsAsInKeras(t *testing.T) {
	defer torchtest.Scoped(t)()
	const hidden = 16
	for _, oneBias := range []bool{false, true} {
		state := nn.StateDict(drawn(t, models.LSTM{Words: 40, Dim: 8, Hidden: hidden, OneBias: oneBias},
			torch.Float64).Parameters())
		for _, name := range []string{"embedding.weight", "lstm.weight_ih_l0"} {
			if largest := state[name].Abs().Amax().Item(); largest > .05 || largest < .045 {
				t.Errorf("%s goes up to %v, want uniform up to .05", name, largest)
			}
		}
		torchtest.Near(t, "forget bias", torch.Slice[float64](state["lstm.bias_ih_l0"].Narrow(0, hidden, hidden)),
			slices.Repeat([]float64{1}, hidden), 0)
		expect.Same(t, !oneBias, state["lstm.bias_hh_l0"].RequiresGrad(), "bias_hh is trained")
	}
}

func ExampleMLP() {
	if torch.Open() != nil {
		fmt.Println("[2 10]") // no libtorch here
		return
	}
	torch.Scope(func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"}
		model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(init)
		if err != nil {
			fmt.Println(err)
			return
		}
		logits := model.Forward(torch.Zeros(torch.Options{}, 2, 784), nn.Eval)
		fmt.Println(logits.Shape())
	})
	// Output: [2 10]
}

// The mean skips padding, and a text without words gives the bias, for weights of each dtype.
func TestWordAverage(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, dtype := range []torch.DType{torch.Float32, torch.Float64, torch.BFloat16} {
		net := drawn(t, models.WordAverage{Words: 5, Dim: 2, Classes: 1}, dtype)
		state := map[string]torch.Tensor{
			"embedding.weight": torch.FromSlice([]float32{100, 100, 1, 0, 0, 2, 3, 0, 0, 4}, 5, 2).ToDType(dtype),
			"dense.weight":     torch.FromSlice([]float32{1, 10}, 1, 2).ToDType(dtype),
			"dense.bias":       torch.FromSlice([]float32{.5}).ToDType(dtype),
		}
		expect.OK(t, nn.LoadState(net.Parameters(), state))
		x := torch.FromSlice([]int32{0, 0, 1, 2, 0, 0, 0, 3, 1, 1, 1, 4, 0, 0, 0, 0}, 4, 4)
		// By hand: means (1/2, 1), (3, 0), (3/4, 1), none. bfloat16 holds 11.25 and the others exactly.
		torchtest.Close(t, dtype.String(), net.Forward(x, nn.Eval), []float64{11, 3.5, 11.25, .5}, 1e-6)
	}
}

// A pair returns the logits of both networks in training, and otherwise of the first.
func TestPair(t *testing.T) {
	defer torchtest.Scoped(t)()
	first := drawn(t, models.MLP{Inputs: 4, Classes: 3}, torch.Float32)
	second := drawn(t, models.MLP{Inputs: 4, Classes: 3, Hidden: []int{7}}, torch.Float32)
	both := models.NewPair(first, second)
	x := torch.NewGenerator(1, torch.CPU).Normal(0, 1, torch.Options{}, 5, 4)
	want := append(numbers(first.Forward(x, nn.Eval)), numbers(second.Forward(x, nn.Eval))...)
	z := both.Forward(x, nn.Train(torch.NewGenerator(2, torch.CPU))) // without dropout, as in evaluation
	torchtest.Close(t, "in training", z.View(2*5*3), want, 0)
	torchtest.Close(t, "in use", both.Forward(x, nn.Eval), want[:5*3], 0)
	expect.Same(t, 6+4, len(both.Parameters()), "parameters")
	expect.Same(t, "first.0.weight", both.Parameters()[0].Name, "its first name")
	expect.Same(t, "second.0.weight", both.Parameters()[6].Name, "the other's first name")
}

// Every network's logits are the last layer of its features, except for the embedding, whose features are mean word
// vectors.
func TestFeatures(t *testing.T) {
	for _, entry := range models.All {
		if strings.HasPrefix(entry.Name, "resnet") && entry.Name != "resnet8" { // larger, and built of the same
			continue
		}
		torchtest.Case(t, entry.Name, func(t *testing.T) {
			g := torch.NewGenerator(1, torch.CPU)
			x := map[models.Input]torch.Tensor{
				models.Pixels: g.Normal(0, 1, torch.Options{}, 3, 12),
				models.Images: g.Normal(0, 1, torch.Options{}, 3, 3, 8, 8),
				models.Words:  torch.Arange(0, 1200, 1, torch.Options{DType: torch.Int64}).Reshape(3, 400),
			}[entry.Input]
			m := drawn(t, named{entry.Name, models.Settings{Inputs: 12, Classes: 2, Vocabulary: 1200, EmbeddingDim: 16}}, torch.Float32)
			features := m.(nn.Featured).Features(x)
			params := m.Parameters()
			if entry.Name == "embedding" {
				words := torch.Slice[float64](params[0].Tensor.Narrow(0, 400, 400).Mean(0))
				torchtest.Close(t, "features of the second text", features.Select(0, 1), words, 1e-6)
				return
			}
			last := params[len(params)-2:]
			logits := features.Linear(last[0].Tensor, last[1].Tensor)
			torchtest.Close(t, "logits of the features", logits, torch.Slice[float64](m.Forward(x, nn.Eval)), 1e-5)
			if torch.CheckPrecision(torch.CPU, torch.BFloat16) != nil {
				return // libtorch's LSTM refuses bfloat16 on such a processor
			}
			half := nn.Autocast{Module: m, DType: torch.BFloat16}.Features(x)
			away := half.Sub(features).Abs().Amax().Item()
			if half.DType() != torch.Float32 || away > .1*max(1, features.Abs().Amax().Item()) {
				t.Errorf("features in bfloat16 are %v and differ by %v", half.DType(), away)
			}
		})
	}
}
