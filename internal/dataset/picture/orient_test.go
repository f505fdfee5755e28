package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The pixels a b c / d e f as people see them, by the eight orientations of the EXIF standard: each turn of
// what the sensor saw, in files, squares and planes alike.
func TestOrientation(t *testing.T) {
	stored := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for k := range 6 {
		stored.Set(k%3, k/3, color.NRGBA{R: byte('a' + k), G: 10, B: 20, A: 255})
	}
	encoded := datasettest.PNGFile(t, stored)
	for orientation, want := range []string{"abc/def", "abc/def", "cba/fed", "fed/cba", "def/abc", "ad/be/cf", "da/eb/fc",
		"fc/eb/da", "cf/be/ad", "abc/def"} {
		raw := datasettest.WithEXIF(encoded, orientation)
		rows := strings.Split(want, "/")
		w, h, err := Size(raw)
		if err != nil || w != len(rows[0]) || h != len(rows) {
			t.Fatalf("orientation %d: %d x %d, %v; want %s", orientation, w, h, err, want)
		}
		img := expect.Got(Decode(raw))(t)
		planes := make([]byte, 3*6)
		expect.OK(t, decodeInto(planes, raw))
		got := ""
		for y := range h {
			got += "/"
			for x := range w {
				red, _, _, _ := img.At(x, y).RGBA()
				got += string(rune(red >> 8))
			}
		}
		if got[1:] != want || string(planes[:6]) != strings.ReplaceAll(want, "/", "") {
			t.Errorf("orientation %d: %s, planes %s, want %s", orientation, got[1:], planes[:6], want)
		}
	}
}

// A photo whose phone was held upright is a square of what people see.
func TestSquareOfATurnedPhoto(t *testing.T) {
	stored := image.NewYCbCr(image.Rect(0, 0, 64, 32), image.YCbCrSubsampleRatio444)
	for k := range stored.Cb {
		stored.Cb[k], stored.Cr[k] = 128, 128
		if k%64 < 32 {
			stored.Y[k] = 255 // the left half is white
		}
	}
	var b bytes.Buffer
	expect.OK(t, jpeg.Encode(&b, stored, nil))
	for orientation, above := range map[int]bool{6: true, 8: false} {
		planes := make([]byte, 3*16*16)
		s := Squarer{Side: 16}
		expect.OK(t, s.Decode(planes, datasettest.WithEXIF(b.Bytes(), orientation)))
		if top, bottom := planes[2*16+8], planes[13*16+8]; (top > 200) != above || (bottom > 200) == above {
			t.Errorf("orientation %d: %d above and %d below", orientation, top, bottom)
		}
	}
}
