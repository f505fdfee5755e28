package models_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Features of the package efficientnet-lite-pytorch 0.1.0, testdata/efficientnet_lite2.py: float64
// 1e-9 and float32 1e-4, relative to the scale. The sizes differ in where padding is uneven.
func TestEfficientNetLite2(t *testing.T) {
	for dtype, tolerance := range map[torch.DType]float64{torch.Float64: 1e-9, torch.Float32: 1e-4} {
		for _, side := range []int{128, 130} {
			t.Run(fmt.Sprintf("%v/%d", dtype, side), func(t *testing.T) {
				torchtest.NoLeak(t, func() {
					want, _, err := torch.LoadSafetensors("testdata/efficientnet_lite2.safetensors")
					torchtest.OK(t, err)
					model, err := models.EfficientNetLite2{}.Features(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: dtype})
					torchtest.OK(t, err)
					fill(t, model, false)
					x := torch.FromSlice(unit("x", 2*3*side*side), 2, 3, side, side).ToDType(dtype)
					y := model.Forward(x, nn.Eval)
					torchtest.NearLargest(t, "features", torch.Slice[float64](y.SliceDim(1, 0, 1280, 16)), torch.Slice[float64](want[strconv.Itoa(side)]), tolerance)
				})
			})
		}
	}
	if _, err := (models.EfficientNetLite2{}).Features(nn.Init{Scheme: "he"}); err == nil {
		t.Error("an unknown scheme is accepted")
	}
}
