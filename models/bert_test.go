package models_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Features of transformers 5.24.0, testdata/bert.py: float64 1e-9 and float32 1e-5, relative to the
// scale. Two of the texts are padded; alone and without padding a text has the same features.
func TestBERT(t *testing.T) {
	for dtype, tolerance := range map[torch.DType]float64{torch.Float64: 1e-9, torch.Float32: 1e-5} {
		t.Run(fmt.Sprint(dtype), func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				want, _, err := torch.LoadSafetensors("testdata/bert.safetensors")
				torchtest.OK(t, err)
				sizes := models.MiniLM
				sizes.Words, sizes.Positions = 211, 32
				model, err := sizes.Features(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: dtype})
				torchtest.OK(t, err)
				fill(t, model, false)
				lengths := []int{9, 4, 1}
				ids := make([]int64, 3*9)
				for i, u := range unit("x", len(ids)) {
					if i%9 < lengths[i/9] {
						ids[i] = int64((u+1)/2*210) + 1
					}
				}
				features := func(ids []int64, n int) []float64 {
					y := model.Forward(torch.FromSlice(ids, n, len(ids)/n), nn.Eval)
					return torch.Slice[float64](y.SliceDim(1, 0, 384, 8).ToDType(torch.Float64))
				}
				all := torch.Slice[float64](want["features"])
				torchtest.NearLargest(t, "features", features(ids, 3), all, tolerance)
				torchtest.NearLargest(t, "a text without padding", features(ids[9:13], 1), all[48:96], tolerance)
			})
		})
	}
	if _, err := (models.BERT{Dim: 10, Heads: 3}).Features(nn.Init{}); err == nil {
		t.Error("3 heads of 10 dimensions are accepted")
	}
}
