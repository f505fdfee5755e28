package run

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// streamOf is a stream of images, given by the pixels of each row.
type streamOf func(row int64) []byte

func (s streamOf) Batches(rows []int64, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for batch := range slices.Chunk(rows, size) {
			var pixels []byte
			for _, row := range batch {
				pixels = append(pixels, s(row)...)
			}
			if !yield(pixels, nil) {
				return
			}
		}
	}
}

func (streamOf) Bad() []dataset.Skipped { return nil }

// Streamed images have the moments of their pixels.
func TestMomentsOfStreamedImages(t *testing.T) {
	images := streamOf(func(row int64) []byte { return []byte{byte(row), byte(row), 10, 20, 7, 7} })
	split := dataset.Split{Images: images, Shape: []int{3, 1, 2}, Labels: make([]int, 201)}
	shift, scale, err := moments("standard", split)
	expect.OK(t, err)
	// 0 to 200: mean 100, variance (201^2 - 1) / 12.
	torchtest.Near(t, "means", shift.Values, []float64{100, 15, 7}, 1e-9)
	torchtest.Near(t, "scales", scale.Values, []float64{1 / math.Sqrt((201*201-1)/12.), 1. / 5, 1}, 1e-9)
}

// A setting that does not suit the data is an error that names the setting.
func TestInputFits(t *testing.T) {
	numbers := dataset.Split{Shape: []int{3}, Features: make([]float32, 6), Labels: make([]int, 2)}
	halves := dataset.Split{Shape: []int{3}, Halves: make([]uint16, 6), Labels: make([]int, 2)}
	grey := dataset.Split{Shape: []int{1, 2, 2}, X: make([]byte, 8), Labels: make([]int, 2)}
	flat := dataset.Split{Shape: []int{4}, X: make([]byte, 8), Labels: make([]int, 2)}
	colour := noiseImages(2, 4)
	for _, c := range []struct {
		train                  dataset.Split
		preprocessing, augment string
		want                   string // empty: no error
	}{
		{numbers, "standard", "none", ""},
		{numbers, "unit", "none", ""},
		{numbers, "pixel-mean", "none", "preprocessing: pixel-mean is for pixels"},
		{halves, "pixel-mean-255", "none", "preprocessing: pixel-mean-255 is for pixels"},
		{halves, "imagenet", "none", "preprocessing: imagenet is for pixels"},
		{numbers, "standard", "crop-flip", "augment: crop-flip is for images"},
		{flat, "pixel-mean", "none", ""},
		{flat, "imagenet", "none", "preprocessing: imagenet is for images of three channels"},
		{grey, "imagenet", "crop-flip", "preprocessing: imagenet is for images of three channels"},
		{grey, "pixel-mean", "crop-flip", ""},
		{colour, "imagenet", "crop-flip", ""},
	} {
		run := config.Config{Preprocessing: c.preprocessing, Augment: c.augment}
		expect.Fails(t, inputFits(run, c.train), c.want, fmt.Sprint(c.train.Shape, " ", c.preprocessing, " ", c.augment))
	}
}

// Moments of a sample use examples from everywhere, not just the first ones.
func TestMomentsOfSortedExamples(t *testing.T) {
	brighter := streamOf(func(row int64) []byte { return slices.Repeat([]byte{byte(row * 256 / 10_000)}, 3) })
	images := dataset.Split{Images: brighter, Shape: []int{3, 1, 1}, Labels: make([]int, 10_000)}
	shift, _, err := moments("standard", images)
	if err != nil || math.Abs(shift.Values[0]-127.5) > .5 {
		t.Errorf("images: mean %+v, %v, want 127.5", shift, err)
	}
	const n = 3*featureRows + 1
	numbers := make([]float32, n)
	for k := range numbers {
		numbers[k] = float32(k) / n
	}
	shift, scale, err := moments("standard", dataset.Split{Features: numbers, Shape: []int{1}, Labels: make([]int, n)})
	if err != nil || math.Abs(shift.Values[0]-.5) > 1e-3 || math.Abs(1/scale.Values[0]-math.Sqrt(1./12)) > 1e-3 {
		t.Errorf("features: mean %+v, scale %+v, %v, want .5 and the square root of 12", shift, scale, err)
	}
}
