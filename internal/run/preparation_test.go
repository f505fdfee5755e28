package run

import (
	"cmp"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// threeImages are three images of 3 channels and 2 pixels.
var threeImages = dataset.Split{Shape: []int{3, 1, 2}, Labels: make([]int, 3), X: []byte{
	0, 10, 100, 100, 255, 7,
	20, 30, 100, 100, 5, 9,
	40, 80, 100, 100, 40, 140,
}}

// Each preprocessing follows its formula, pixel by pixel: x is the byte, m and s the mean and standard deviation of the
// pixel or its channel.
func TestPreparation(t *testing.T) {
	n := len(threeImages.X) / 3
	pixelMean := func(at int) float64 {
		return (float64(threeImages.X[at%n]) + float64(threeImages.X[n+at%n]) + float64(threeImages.X[2*n+at%n])) / 3
	}
	channel := func(at int) int { return at % n / 2 }
	moment := func(at int) (mean, std float64) {
		var all []float64
		for k := range threeImages.X {
			if channel(k) == channel(at) {
				all = append(all, float64(threeImages.X[k]))
			}
		}
		mean, std = stat.PopMeanStdDev(all, nil)
		return mean, cmp.Or(std, 1)
	}
	for input, want := range map[string]func(x float64, at int) float64{
		"unit":           func(x float64, _ int) float64 { return x / 255 },
		"pixel-mean-255": func(x float64, at int) float64 { return x - pixelMean(at) },
		"pixel-mean":     func(x float64, at int) float64 { return (x - pixelMean(at)) / 255 },
		"standard":       func(x float64, at int) float64 { m, s := moment(at); return (x - m) / s },
		// The moments of torchvision's weights, red, green, blue: https://docs.pytorch.org/vision/stable/models.html
		"imagenet": func(x float64, at int) float64 {
			return (x/255 - []float64{.485, .456, .406}[channel(at)]) / []float64{.229, .224, .225}[channel(at)]
		},
	} {
		torchtest.NoLeak(t, func() {
			shift, scale, err := moments(input, threeImages)
			expect.OK(t, err)
			s := &source{prepare: preparation(shift, scale, false, torch.CPU)}
			set := s.set(threeImages, input, torch.CPU)
			set.Y, set.Prepare = torch.Zeros(torch.Options{DType: torch.Int64}, 3), s.prepare
			x, _ := set.Take(set.Index)
			if x.DType() != torch.Float32 || !slices.Equal(x.Shape(), []int{3, 3, 1, 2}) {
				t.Errorf("%s: %v %v", input, x.DType(), x.Shape())
			}
			var all []float64
			for at, v := range threeImages.X {
				all = append(all, want(float64(v), at))
			}
			torchtest.Close(t, input, x, all, 1e-5)
		})
	}
}

// Features are standardised column by column, from float32 and float16.
func TestPreparationOfFeatures(t *testing.T) {
	torchtest.NoLeak(t, func() {
		s := dataset.Split{Shape: []int{3}, Labels: make([]int, 2), Features: []float32{1, 10, 5, 3, -10, 5}}
		shift, scale, err := moments("standard", s)
		expect.OK(t, err)
		x := preparation(shift, scale, false, torch.CPU)(torch.FromSlice(s.Features, 2, 3))
		torchtest.Close(t, "features", x, []float64{-1, 1, 0, 1, -1, 0}, 1e-6)
	})
}

// Constant features are not scaled, so another value in a test set keeps its distance.
func TestPreparationOfConstantFeatures(t *testing.T) {
	for _, v := range []float32{0, 1, .1, 2023} {
		s := dataset.Split{Shape: []int{1}, Labels: make([]int, 1000), Features: slices.Repeat([]float32{v}, 1000)}
		shift, scale, err := moments("standard", s)
		expect.OK(t, err)
		if shift.Values[0] != float64(v) || scale.Values[0] != 1 {
			t.Errorf("%v everywhere: shift %v, scale %v", v, shift.Values[0], scale.Values[0])
		}
	}
}
