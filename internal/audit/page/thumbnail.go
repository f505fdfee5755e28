package page

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"image"
	"image/jpeg"

	"golang.org/x/image/draw"

	"github.com/losscorr/losscorr/internal/dataset/picture"
)

const longSide = 160 // of a thumbnail, in pixels

// Thumbnail returns an image as a JPEG of at most 160 pixels, on white where it is transparent.
func Thumbnail(raw []byte) (shown []byte, mime string, err error) {
	img, err := picture.Decode(raw)
	if err != nil {
		return nil, "", err
	}
	size := img.Bounds().Size()
	if long := max(size.X, size.Y); long > longSide {
		size = image.Pt(max(1, size.X*longSide/long), max(1, size.Y*longSide/long))
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Over, nil)
	var b bytes.Buffer
	err = jpeg.Encode(&b, small, &jpeg.Options{Quality: 80})
	return b.Bytes(), "image/jpeg", err
}

// thumbnail returns an image's thumbnail as a data URI.
func thumbnail(raw []byte) (template.URL, error) {
	shown, mime, err := Thumbnail(raw)
	return template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(shown)),
		err //nolint:gosec // our own
}
