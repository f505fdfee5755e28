package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Each scheme's standard deviation and bounds, on 200 x 300 weights: the sample's
// lie within 5 sigma of them. A normal cut off at two sigma has the standard
// deviation sqrt(1 - 4 phi(2) / (2 Phi(2) - 1)) = .8796 sigma.
func TestInitialisersDrawAsTheySay(t *testing.T) {
	const in, out = 300, 200
	const cut = .87962566
	schemes := map[string]struct{ std, bound float64 }{
		"he_normal":      {cut * math.Sqrt(2./in), 2 * math.Sqrt(2./in)},
		"he_uniform":     {math.Sqrt(2. / in), math.Sqrt(6. / in)},
		"glorot_normal":  {cut * math.Sqrt(2./(in+out)), 2 * math.Sqrt(2./(in+out))},
		"glorot_uniform": {math.Sqrt(2. / (in + out)), math.Sqrt(6. / (in + out))},
		"uniform_0.05":   {.05 / math.Sqrt(3), .05},
		"orthogonal":     {1 / math.Sqrt(in), 1},
		"torch_default":  {1 / math.Sqrt(3*in), 1 / math.Sqrt(in)},
		"zeros":          {},
	}
	for _, name := range nn.InitNames() {
		want, ok := schemes[name]
		if !ok {
			t.Errorf("scheme %s is not tested", name)
			continue
		}
		torchtest.NoLeak(t, func() {
			init := nn.Init{Rand: rand.New(rand.NewPCG(5, 6)), Scheme: name, Device: device}
			layer := nn.NewLinear(nn.Linear{In: in, Out: out}, init)
			w := torch.Slice[float64](layer.Weight)
			mean, std := stat.MeanStdDev(w, nil)
			n := float64(len(w))
			if math.Abs(mean) > 5*want.std/math.Sqrt(n) {
				t.Errorf("%s: mean %v over %v weights", name, mean, n)
			}
			// The fourth moment of none of them is over 3 std^4.
			if math.Abs(std/want.std-1) > 5/math.Sqrt(2*n) {
				t.Errorf("%s: standard deviation %v, want %v", name, std, want.std)
			}
			largest := layer.Weight.Abs().Amax().Item()
			if largest > want.bound*(1+1e-6) {
				t.Errorf("%s: a weight of %v, beyond %v", name, largest, want.bound)
			}
			if name != "orthogonal" && largest < .99*want.bound {
				t.Errorf("%s: no weight near %v, the largest is %v", name, want.bound, largest)
			}
			bias := layer.Bias.Abs().Amax().Item()
			if random := name == "torch_default"; random != (bias > 0) || bias > want.bound {
				t.Errorf("%s: largest bias %v", name, bias)
			}
			if !layer.Weight.RequiresGrad() || !layer.Bias.RequiresGrad() || layer.Weight.DType() != torch.Float32 {
				t.Errorf("%s: parameters are not trainable float32", name)
			}
		})
	}
}

func TestOrthogonal(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, shape := range [][2]int{{7, 4}, {4, 7}, {5, 5}} {
		w := nn.NewLinear(nn.Linear{In: shape[1], Out: shape[0]}, float64Init("orthogonal")).Weight.Detach()
		if shape[0] > shape[1] {
			w = w.T()
		}
		eye := torch.Slice[float64](torch.Eye(w.Size(0), torch.Options{DType: torch.Float64}))
		torchtest.Close(t, fmt.Sprint(shape, " W W^T"), w.Mm(w.T()), eye, 1e-12)
	}
	// Uniform over all of them: no diagonal entry prefers a sign.
	init, positive := float64Init("orthogonal"), 0
	for range 400 {
		torch.Scope(func() {
			if nn.NewLinear(nn.Linear{In: 3, Out: 3}, init).Weight.Select(0, 0).Select(0, 0).Item() > 0 {
				positive++
			}
		})
	}
	if positive < 150 || positive > 250 { // 5 sigma
		t.Errorf("%d of 400 are positive", positive)
	}
}

func TestLSTMInit(t *testing.T) {
	defer torchtest.Scoped(t)()
	layer := nn.NewLSTM(nn.LSTM{In: 5, Hidden: 6, ForgetBias: 1}, float64Init("glorot_uniform"))
	recurrent := layer.Params[1].Detach()
	eye := torch.Slice[float64](torch.Eye(6, torch.Options{DType: torch.Float64}))
	torchtest.Close(t, "U^T U", recurrent.T().Mm(recurrent), eye, 1e-12)
	forget := slices.Concat(make([]float64, 6), slices.Repeat([]float64{1}, 6), make([]float64, 12))
	torchtest.Close(t, "input bias", layer.Params[2], forget, 0)
	torchtest.Close(t, "recurrent bias", layer.Params[3], make([]float64, 24), 0)
	bound := 1 / math.Sqrt(6)
	for i, p := range nn.NewLSTM(nn.LSTM{In: 5, Hidden: 6}, float64Init("torch_default")).Params {
		if largest := p.Abs().Amax().Item(); largest > bound || largest < bound/2 {
			t.Errorf("torch_default: largest of parameter %d is %v, bound %v", i, largest, bound)
		}
	}
}

func TestEmbeddingInit(t *testing.T) {
	defer torchtest.Scoped(t)()
	w := nn.NewEmbedding(nn.Embedding{Count: 200, Dim: 100}, float64Init("torch_default")).Weight
	mean, std := stat.MeanStdDev(torch.Slice[float64](w), nil)
	if math.Abs(mean) > 5/math.Sqrt(20000) || math.Abs(std-1) > 5/math.Sqrt(40000) {
		t.Errorf("mean %v, standard deviation %v, want 0 and 1", mean, std)
	}
	w = nn.NewEmbedding(nn.Embedding{Count: 200, Dim: 100}, float64Init("uniform_0.05")).Weight
	if largest := w.Abs().Amax().Item(); largest > .05 || largest < .0499 {
		t.Errorf("largest %v, bound .05", largest)
	}
}
