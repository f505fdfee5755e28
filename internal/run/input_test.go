package run

import (
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// streamOf is a stream of images of 2 pixels a channel whose red is the row's number.
type streamOf struct{}

func (streamOf) Batches(rows []int64, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for start := 0; start < len(rows); start += size {
			var pixels []byte
			for _, row := range rows[start:min(start+size, len(rows))] {
				pixels = append(pixels, byte(row), byte(row), 10, 20, 7, 7)
			}
			if !yield(pixels, nil) {
				return
			}
		}
	}
}

func (streamOf) Bad() []dataset.Skipped { return nil }

// Images that are read when they are needed have the moments of their pixels.
func TestMomentsOfStreamedImages(t *testing.T) {
	s := dataset.Split{Images: streamOf{}, Shape: []int{3, 1, 2}, Labels: make([]int, 201)}
	shift, scale, err := moments("standard", s)
	if err != nil {
		t.Fatal(err)
	}
	// 0 to 200: mean 100, variance (201^2 - 1) / 12.
	for k, want := range []float64{100, 15, 7} {
		if math.Abs(shift.Values[k]-want) > 1e-9 {
			t.Errorf("mean of channel %d is %v, want %v", k, shift.Values[k], want)
		}
	}
	for k, want := range []float64{1 / math.Sqrt((201*201-1)/12.), 1. / 5, 1} {
		if math.Abs(scale.Values[k]-want) > 1e-9 {
			t.Errorf("scale of channel %d is %v, want %v", k, scale.Values[k], want)
		}
	}
}

// Images that are not square are mirrored and shifted, and keep their size.
func TestAugmentKeepsTheSize(t *testing.T) {
	torchtest.Open(t)
	run := configtest.Load(t, "dataset: own\nepochs: 1\nbatch_size: 16\nvalidation: {share: .2}\n",
		append(forms(t, t.TempDir())["images"].settings, "augment=crop-flip")...)[0]
	run.Device = "cpu"
	p := offline()
	defer p.free()
	within(t, p, run, func(m *material, noise *labels) {
		r := m.training(noise, m.crossEntropy(), startingModel(t, m))
		x, _ := r.Data.Validation.Take(r.Data.Validation.Index)
		got := r.Augment(x, r.AugmentRand)
		if want := []int{x.Size(0), 3, 12, 14}; !slices.Equal(got.Shape(), want) {
			t.Errorf("%v, want %v", got.Shape(), want)
		}
	})
}

// What a setting cannot be applied to is an error that names the setting.
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
		err := inputFits(config.Config{Preprocessing: c.preprocessing, Augment: c.augment}, c.train)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, %s, %s: %v, want %q", c.train.Shape, c.preprocessing, c.augment, err, c.want)
		}
	}
}

// brighter is a stream of n images of one pixel that become brighter.
type brighter struct{ n int64 }

func (s brighter) Batches(rows []int64, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for batch := range slices.Chunk(rows, size) {
			var pixels []byte
			for _, row := range batch {
				v := byte(row * 256 / s.n)
				pixels = append(pixels, v, v, v)
			}
			if !yield(pixels, nil) {
				return
			}
		}
	}
}

func (brighter) Bad() []dataset.Skipped { return nil }

// Moments of a part of the examples are of all places, not of the first ones.
func TestMomentsOfSortedExamples(t *testing.T) {
	shift, _, err := moments("standard", dataset.Split{Images: brighter{10_000}, Shape: []int{3, 1, 1}, Labels: make([]int, 10_000)})
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
