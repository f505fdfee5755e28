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

// Features of transformers 5.24.0, testdata/dinov2.py, relative to the scale: float64 1e-9 at the
// size of the positions, which the reference interpolates in float32 for others, so that those and
// float32 are within 1e-5. One image is larger, one smaller, not square and no multiple of a patch.
func TestDINOv2(t *testing.T) {
	for dtype, native := range map[torch.DType]float64{torch.Float64: 1e-9, torch.Float32: 1e-5} {
		for _, c := range []struct {
			height, width int
			tolerance     float64
		}{{70, 70, native}, {224, 224, 1e-5}, {58, 45, 1e-5}} {
			size := fmt.Sprintf("%dx%d", c.height, c.width)
			t.Run(fmt.Sprint(dtype, "/", size), func(t *testing.T) {
				torchtest.NoLeak(t, func() {
					want, _, err := torch.LoadSafetensors("testdata/dinov2.safetensors")
					if err != nil {
						t.Fatal(err)
					}
					model, err := models.DINOv2{Side: 70, Patch: 14, Dim: 24, Heads: 3, Depth: 2}.Features(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: dtype})
					if err != nil {
						t.Fatal(err)
					}
					fill(t, model, false)
					x := torch.FromSlice(unit("x", 2*3*c.height*c.width), 2, 3, c.height, c.width).ToDType(dtype)
					y := model.Forward(x, nn.Eval)
					near(t, "features", torch.Slice[float64](y.ToDType(torch.Float64)), torch.Slice[float64](want[size]), c.tolerance)
				})
			})
		}
	}
	for _, bad := range []models.DINOv2{{Side: 70, Patch: 14, Dim: 10, Heads: 3}, {Side: 10, Patch: 14, Dim: 10, Heads: 2}} {
		if _, err := bad.Features(nn.Init{}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
