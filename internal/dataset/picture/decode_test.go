package picture

import (
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func TestDecodePlanes(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for k := range 6 {
		img.Set(k%3, k/3, color.NRGBA{byte(10 + k), byte(100 + k), byte(200 + k), 128}) // transparency goes, colour stays
	}
	raw := datasettest.PNGFile(t, img)
	got := make([]byte, 18)
	expect.OK(t, decodeInto(got, raw))
	expect.Same(t, []byte{10, 11, 12, 13, 14, 15, 100, 101, 102, 103, 104, 105, 200, 201, 202, 203, 204, 205}, got)

	// The colours of a JPEG, against the standard library's own conversion.
	photo := datasettest.JPEG(t, 9, 5, color.NRGBA{200, 40, 90, 255})
	got = make([]byte, 3*9*5)
	expect.OK(t, decodeInto(got, []byte(photo)))
	same := expect.Got(jpeg.Decode(strings.NewReader(photo)))(t)
	for k := range 45 {
		c := color.NRGBAModel.Convert(same.At(k%9, k/9)).(color.NRGBA)
		if got[k] != c.R || got[45+k] != c.G || got[90+k] != c.B {
			t.Fatalf("pixel %d is %d %d %d, want %v", k, got[k], got[45+k], got[90+k], c)
		}
	}
}

// decodeInto decodes an image into its planes.
func decodeInto(planes, raw []byte) error {
	img, err := Decode(raw)
	if err == nil {
		WritePlanes(planes, img)
	}
	return err
}

// photoOf is a JPEG of waves, with noise that compresses like a photo's.
func photoOf(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x), float64(y)
			v := 128 + 60*math.Sin(fx/23) + 50*math.Cos(fy/17)
			img.Set(x, y, color.NRGBA{byte(v), byte(v/2 + 60), byte(255 - v), 255})
		}
	}
	for k := range img.Pix {
		if k%4 < 3 {
			img.Pix[k] += byte(k * k * 2654435761 >> 20 % 16)
		}
	}
	return []byte(datasettest.JPEGFile(t, img, 85))
}

// greyJPEG is a JPEG of one grey value, without channels of colour.
func greyJPEG(t testing.TB, w, h int, v byte) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, w, h))
	for k := range img.Pix {
		img.Pix[k] = v
	}
	return datasettest.JPEGFile(t, img, 100)
}

func TestMain(m *testing.M) { datasettest.Main(m) }
