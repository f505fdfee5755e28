package models_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The last layer makes the logits of every network out of its features, but those of the
// embedding, which are the mean vectors of the words.
func TestFeatures(t *testing.T) {
	for _, entry := range models.All {
		if entry.Name == "resnet110" || entry.Name == "resnet50" { // large, and built of the same
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				g := torch.NewGenerator(1, torch.CPU)
				x := map[models.Input]torch.Tensor{
					models.Pixels: g.Normal(0, 1, torch.Options{}, 3, 12),
					models.Images: g.Normal(0, 1, torch.Options{}, 3, 3, 8, 8),
					models.Words:  torch.Arange(0, 1200, 1, torch.Options{DType: torch.Int64}).Reshape(3, 400),
				}[entry.Input]
				m, err := entry.New(models.Settings{Inputs: 12, Classes: 2}, nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"})
				torchtest.OK(t, err)
				features := m.(nn.Featured).Features(x)
				params := m.Parameters()
				if entry.Name == "embedding" {
					words := torch.Slice[float32](params[0].Tensor.Narrow(0, 400, 400).Mean(0))
					torchtest.Close(t, "features of the second text", features.Select(0, 1), widened(words), 1e-6)
					return
				}
				last := params[len(params)-2:]
				logits := features.Linear(last[0].Tensor, last[1].Tensor)
				torchtest.Close(t, "logits of the features", logits, widened(torch.Slice[float32](m.Forward(x, nn.Eval))), 1e-5)
				if torch.CheckPrecision(torch.CPU, torch.BFloat16) != nil {
					return // libtorch's LSTM refuses bfloat16 on such a processor
				}
				half := nn.Autocast{Module: m, DType: torch.BFloat16}.Features(x)
				if half.DType() != torch.Float32 || half.Sub(features).Abs().Amax().Item() > .1*max(1, features.Abs().Amax().Item()) {
					t.Errorf("features in bfloat16 are %v and differ by %v", half.DType(), half.Sub(features).Abs().Amax().Item())
				}
			})
		})
	}
}

func widened(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}
