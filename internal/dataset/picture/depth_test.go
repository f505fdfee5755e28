package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Samples of 16 bits fill the range of eight by the bits that their detector has.
func TestDepth(t *testing.T) {
	forms := map[string]func(draw.Image) ([]byte, error){
		"png": func(img draw.Image) ([]byte, error) { return datasettest.PNGFile(t, img), nil },
		"tiff": func(img draw.Image) ([]byte, error) {
			var b bytes.Buffer
			err := tiff.Encode(&b, img, nil)
			return b.Bytes(), err
		},
	}
	small := image.Rect(0, 0, 2, 1)
	for form, encode := range forms {
		for _, tt := range []struct{ low, high, wantLow, wantHigh uint16 }{
			{0, 0, 0, 0},
			{100, 255, 100, 255}, // 8 bits
			{256, 1023, 64, 255},
			{1000, 4095, 62, 255}, // 12
			{4096, 16383, 64, 255},
			{1000, 16384, 3, 64}, // 16
			{256, 65535, 1, 255},
		} {
			for model, img := range map[string]draw.Image{"grey": image.NewGray16(small), "colour": image.NewRGBA64(small),
				"alpha": image.NewNRGBA64(small)} {
				alpha := uint16(0xffff)
				if model == "alpha" {
					alpha = 0x8000
				}
				img.Set(0, 0, color.NRGBA64{tt.low, tt.low, tt.low, alpha})
				img.Set(1, 0, color.NRGBA64{tt.high, tt.high, tt.high, 0xffff})
				raw := expect.Got(encode(img))(t)
				got := make([]byte, 6)
				expect.OK(t, decodeInto(got, raw))
				for c := 0; c < 6; c += 2 {
					// Removing the alpha rounds.
					if d := int(got[c]) - int(tt.wantLow); d < -1 || d > 1 || model != "alpha" && d != 0 ||
						got[c+1] != byte(tt.wantHigh) {
						t.Errorf("%s %s of %d and %d: %v, want %d and %d", form, model, tt.low, tt.high, got, tt.wantLow, tt.wantHigh)
						break
					}
				}
			}
		}
	}
}

// The page shows 16-bit images as they are decoded, not as browsers do, which would be black.
func TestPreviewDepth(t *testing.T) {
	img := image.NewGray16(image.Rect(0, 0, 8, 8))
	draw.Draw(img, img.Rect, image.NewUniform(color.Gray16{3000}), image.Point{}, draw.Src)
	raw := datasettest.PNGFile(t, img)
	shown, mime, err := Preview(raw)
	if err != nil || mime != "image/jpeg" {
		t.Fatal(mime, err)
	}
	seen, _, err := image.Decode(bytes.NewReader(shown))
	expect.OK(t, err)
	if v, _, _, _ := seen.At(4, 4).RGBA(); v>>8 < 180 || v>>8 > 195 {
		t.Errorf("3000 of 12 bits is shown as %d of 255, want about 187", v>>8)
	}
}
