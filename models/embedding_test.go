package models_test

import (
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestEmbedding(t *testing.T) {
	defer torchtest.Scoped(t)()
	params := drawn(t, models.Embedding{Dropout: .8}, torch.Float32).Parameters()
	// Keras: vectors uniform in +-.05, the dense layer he_normal with a deviation of .8796 sqrt(2 / 20000) over 20,000
	// inputs, the bias zero.
	for i, want := range []struct{ deviation, largest float64 }{{.1 / 3.4641, .05}, {.8796 * .01, .02}, {0, 0}} {
		p := params[i].Tensor.Detach()
		torchtest.Close(t, params[i].Name+" deviation", p.Square().Mean().Sqrt(), []float64{want.deviation}, 2e-4)
		if largest := p.Abs().Amax().Item(); largest > want.largest+1e-9 {
			t.Errorf("%s reaches %v, want at most %v", params[i].Name, largest, want.largest)
		}
	}
}

// PyTorch 2.11.0's logits and gradients (testdata/embedding.py) with the masks of our stream: float64 to 1e-9 by
// libtorch's operations, float32 to 1e-4 by our own loops.
func TestEmbeddingEqualsPyTorch(t *testing.T) {
	defer torchtest.Scoped(t)()
	golden, _, err := torch.LoadSafetensors("testdata/embedding.safetensors")
	expect.OK(t, err)
	table := golden["embedding.weight"]
	for dtype, tolerance := range map[torch.DType]float64{torch.Float64: 1e-9, torch.Float32: 1e-4} {
		for _, dropout := range []string{"none", "channels", "elements", "words"} {
			net := models.Embedding{
				Words: table.Size(0), Dim: table.Size(1), Length: golden["ids"].Size(1), Classes: golden["dense.bias"].Size(0),
				Dropout: .8,
			}
			if dropout != "none" {
				net.DropoutUnits = dropout
			}
			m := undrawn(t, net, dtype)
			params := m.Parameters()
			state := map[string]torch.Tensor{}
			for _, p := range params {
				state[p.Name] = golden[p.Name].ToDType(dtype)
			}
			expect.OK(t, nn.LoadState(params, state))
			mode := nn.Eval
			if dropout != "none" {
				mode = nn.Train(torch.NewGenerator(11, torch.CPU))
			}
			name := fmt.Sprintf("%v %s ", dtype, dropout)
			logits := m.Forward(golden["ids"], mode)
			torchtest.Close(t, name+"logits", logits.Detach(), torch.Slice[float64](golden[dropout+".logits"]), tolerance)
			logits.CrossEntropy(golden["labels"]).Backward()
			for _, p := range params {
				torchtest.Close(t, name+p.Name, p.Tensor.Grad(), torch.Slice[float64](golden[dropout+"."+p.Name+".grad"]),
					tolerance)
			}
		}
	}
}

// Training without a stream works without dropout and is an error with it.
func TestEmbeddingWithoutAStream(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torch.FromSlice([]int32{1, 2, 3}, 1, 3)
	for _, units := range []string{"channels", "elements", "words"} {
		for _, p := range []float64{0, .5} {
			net := models.Embedding{Words: 10, Length: 3, Dim: 8, Dropout: p, DropoutUnits: units}
			m := drawn(t, net, torch.Float32)
			if p == 0 {
				torchtest.Close(t, units, m.Forward(x, nn.Train(nil)).Detach(),
					torch.Slice[float64](m.Forward(x, nn.Eval).Detach()), 0)
			} else {
				torchtest.Raises(t, torch.Value, func() { m.Forward(x, nn.Train(nil)) })
			}
		}
	}
}
