package train

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every random crop is one of the possible crops, which the test cuts one by one, and all of them are drawn.
func TestCropRandom(t *testing.T) {
	torchtest.Open(t)
	const n, channels, height, width = 400, 2, 3, 4
	c := Crop{Height: 2, Width: 3, Pad: 1, Flip: true}
	torchtest.NoLeak(t, func() {
		pixels := make([]float32, n*channels*height*width)
		for i := range pixels {
			pixels[i] = float32(1 + i%(channels*height*width)) // the same image each time
		}
		x := torch.FromSlice(pixels, n, channels, height, width)
		at := func(channel, row, column int) float32 { // with padding
			row, column = row-c.Pad, column-c.Pad
			if row < 0 || column < 0 || row >= height || column >= width {
				return 0
			}
			return pixels[(channel*height+row)*width+column]
		}
		var crops [][]float32
		for top := range height + 2*c.Pad - c.Height + 1 {
			for left := range width + 2*c.Pad - c.Width + 1 {
				for _, mirrored := range []bool{false, true} {
					var crop []float32
					for channel := range channels {
						for i := range c.Height {
							for j := range c.Width {
								if mirrored {
									j = c.Width - 1 - j
								}
								crop = append(crop, at(channel, top+i, left+j))
							}
						}
					}
					crops = append(crops, crop)
				}
			}
		}
		g := torch.NewGenerator(1, torch.CPU)
		out := torch.Slice[float32](c.Random(x, g))
		size := channels * c.Height * c.Width
		if len(out) != n*size {
			t.Fatalf("%d elements, want %d", len(out), n*size)
		}
		seen := map[int]bool{}
		for k := range n {
			which := slices.IndexFunc(crops, func(crop []float32) bool { return slices.Equal(crop, out[k*size:(k+1)*size]) })
			if which < 0 {
				t.Fatalf("image %d is not a crop: %v", k, out[k*size:(k+1)*size])
			}
			seen[which] = true
		}
		if len(seen) != len(crops) {
			t.Errorf("%d of %d crops were drawn in %d images", len(seen), len(crops), n)
		}
		again := torch.Slice[float32](c.Random(x, torch.NewGenerator(1, torch.CPU)))
		if !slices.Equal(out, again) {
			t.Error("the same stream draws other crops")
		}
	})
}

// The crop of an evaluation is the centre.
func TestCropCentre(t *testing.T) {
	torchtest.Open(t)
	torchtest.NoLeak(t, func() {
		x := torch.Arange(0, 30, 1, torch.Options{}).View(1, 1, 5, 6)
		got := torch.Slice[float32](Crop{Height: 3, Width: 3}.Centre(x))
		if want := []float32{7, 8, 9, 13, 14, 15, 19, 20, 21}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
