package picture

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Values are within 1 of torch 2.11.0's, testdata/resize.py.
func TestSquare(t *testing.T) {
	golden := expect.Got(os.ReadFile("testdata/resize.txt"))(t)
	for line := range strings.Lines(string(golden)) {
		var w, h, side int
		var planes string
		expect.OK(t, expect.Err(fmt.Sscan(line, &w, &h, &side, &planes)))
		want := expect.Got(hex.DecodeString(planes))(t)
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				edge := (x/3 + y/4) % 2 * 5
				img.Set(x, y, color.NRGBA{byte(5 + 19*x + 7*y + 3*x*y), byte(11*x*x + 30*y), byte(x*y + 40*edge), 255})
			}
		}
		raw := datasettest.PNGFile(t, img)
		got := make([]byte, 3*side*side)
		expect.OK(t, (&Squarer{Side: side}).Decode(got, raw))
		if at, off := furthest(got, want); off > 1 {
			t.Errorf("%d x %d to %d: value %d is %d, want %d", w, h, side, at, got[at], want[at])
		}
	}
}

// furthest is where two images differ most, and by how much.
func furthest(a, b []byte) (at, off int) {
	for k := range a {
		if d := max(a[k], b[k]) - min(a[k], b[k]); int(d) > off {
			at, off = k, int(d)
		}
	}
	return at, off
}

// A JPEG, scaled before its colours are converted, is within 8 of the same pixels scaled as
// colours, and within 1 on average, in each way that its colours may be stored.
func TestSquareOfPhoto(t *testing.T) {
	raw := photoOf(t, 301, 403)
	img := expect.Got(jpeg.Decode(bytes.NewReader(raw)))(t)
	full, ok := img.(*image.YCbCr)
	if !ok {
		t.Fatalf("the photo decodes as %T", img)
	}
	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		sampled := image.NewYCbCr(full.Rect, ratio)
		for y := range 403 {
			for x := range 301 {
				sampled.Y[sampled.YOffset(x, y)] = full.Y[full.YOffset(x, y)]
				sampled.Cb[sampled.COffset(x, y)] = full.Cb[full.COffset(x, y)]
				sampled.Cr[sampled.COffset(x, y)] = full.Cr[full.COffset(x, y)]
			}
		}
		const side = 64
		s := &Squarer{Side: side}
		got, want := make([]byte, 3*side*side), make([]byte, 3*side*side)
		s.packPhoto(sampled)
		s.scale(got, full.Rect.Size())
		s.pack(sampled)
		s.scale(want, full.Rect.Size())
		sum, worst := 0, 0
		for k := range side * side {
			r, g, b := color.YCbCrToRGB(got[k], got[side*side+k], got[2*side*side+k])
			for c, v := range [3]byte{r, g, b} {
				expected := want[c*side*side+k]
				off := int(max(v, expected) - min(v, expected))
				sum, worst = sum+off, max(worst, off)
			}
		}
		if mean := float64(sum) / (3 * side * side); mean > 1 || worst > 8 {
			t.Errorf("%v: off by %.2f on average and %d at most", ratio, mean, worst)
		}
	}
}

func TestSquareOfGreyAndTransparent(t *testing.T) {
	for name, raw := range map[string]string{
		"grey":        greyJPEG(t, 40, 30, 77),
		"transparent": datasettest.PNG(t, 30, 40, color.NRGBA{77, 77, 77, 3}),
	} {
		got := make([]byte, 3*16*16)
		expect.OK(t, (&Squarer{Side: 16}).Decode(got, []byte(raw)))
		expect.Same(t, bytes.Repeat([]byte{77}, len(got)), got, name)
	}
}
