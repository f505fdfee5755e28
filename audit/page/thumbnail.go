package page

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"image"
	_ "image/gif" // a format of dataset.Original
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // a format of dataset.Original
)

const (
	longSide  = 160      // of a thumbnail, in pixels
	maxPixels = 50 << 20 // of an image that is decoded
)

// thumbnail returns an image, scaled to at most 160 pixels, as a data URI.
func thumbnail(raw []byte) (template.URL, error) {
	head, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	if head.Width <= 0 || head.Height <= 0 || head.Width > maxPixels/head.Height {
		return "", fmt.Errorf("%d x %d pixels", head.Width, head.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	size := img.Bounds().Size()
	if long := max(size.X, size.Y); long > longSide {
		size = image.Pt(max(1, size.X*longSide/long), max(1, size.Y*longSide/long))
		small := image.NewNRGBA(image.Rectangle{Max: size})
		draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
		img = small
	}
	var b bytes.Buffer
	mime := "image/png"
	if opaque, ok := img.(interface{ Opaque() bool }); ok && opaque.Opaque() && size.X*size.Y > 64*64 {
		mime = "image/jpeg"
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 80})
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		return "", errors.Join(errors.New("encode a thumbnail"), err)
	}
	return template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil //nolint:gosec // our own
}
