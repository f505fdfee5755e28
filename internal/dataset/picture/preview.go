package picture

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"net/http"

	"golang.org/x/image/draw"
)

const (
	maxOriginal = 8 << 20 // bytes of an image that is returned unchanged
	previewSide = 1024
)

// Preview returns an image that browsers can show (JPEG, PNG, GIF or WebP) and its MIME type.
// Other formats, 16-bit and large images become a JPEG of at most 1024 x 1024 pixels. A broken
// image is nil.
func Preview(raw []byte) (shown []byte, mime string, err error) {
	switch mime := http.DetectContentType(raw); mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		if len(raw) <= maxOriginal && !is16Bit(raw) {
			return raw, mime, nil
		}
	}
	largeImages.Lock()
	defer largeImages.Unlock()
	img, err := Decode(raw)
	if err != nil {
		return nil, "", nil
	}
	return PreviewImage(img)
}

// PreviewImage returns a JPEG of an image, of at most 1024 x 1024 pixels, and its MIME type.
func PreviewImage(img image.Image) (shown []byte, mime string, err error) {
	size := img.Bounds().Size()
	scale := min(1, float64(previewSide)/float64(max(size.X, size.Y)))
	side := func(n int) int { return max(1, int(math.Round(float64(n)*scale))) }
	small := image.NewRGBA(image.Rect(0, 0, side(size.X), side(size.Y)))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	err = jpeg.Encode(&b, small, nil)
	return b.Bytes(), "image/jpeg", err
}
