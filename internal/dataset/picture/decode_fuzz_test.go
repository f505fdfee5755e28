package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// Whatever a file holds, it is decoded in every way or in none.
func FuzzImageFile(f *testing.F) {
	img := image.NewNRGBA(image.Rect(0, 0, 5, 4))
	for k := range img.Pix {
		img.Pix[k] = byte(k * 7)
	}
	for _, encode := range []func(b *bytes.Buffer) error{
		func(b *bytes.Buffer) error { return png.Encode(b, img) },
		func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
		func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) },
		func(b *bytes.Buffer) error { return bmp.Encode(b, img) },
		func(b *bytes.Buffer) error { return tiff.Encode(b, img, &tiff.Options{Compression: tiff.Deflate}) },
		func(b *bytes.Buffer) error { return tiff.Encode(b, image.NewGray16(img.Rect), nil) },
		func(b *bytes.Buffer) error {
			return png.Encode(b, image.NewPaletted(img.Rect, color.Palette{color.Black}))
		},
	} {
		var b bytes.Buffer
		expect.OK(f, encode(&b))
		f.Add(b.Bytes())
	}
	f.Add([]byte(datasettest.WebP(f)))
	squares := &Squarer{Side: 3}
	f.Fuzz(func(t *testing.T, raw []byte) {
		w, h, err := Size(raw)
		if err != nil || w*h > 1<<20 {
			return
		}
		problem := decodeInto(make([]byte, 3*w*h), raw)
		if square := squares.Decode(make([]byte, 27), raw); (square == nil) != (problem == nil) {
			t.Errorf("as a square %v, as it is %v", square, problem)
		}
		_, _, err = Preview(raw)
		expect.OK(t, err)
	})
}
