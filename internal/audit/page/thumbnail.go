package page

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html/template"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"

	"github.com/losscorr/losscorr/internal/dataset/picture"
)

const longSide = 160 // of a thumbnail, in pixels

// Thumbnail returns an image, scaled to at most 160 pixels, as a JPEG or PNG.
func Thumbnail(raw []byte) (shown []byte, mime string, err error) {
	img, err := picture.Decode(raw)
	if err != nil {
		return nil, "", err
	}
	size := img.Bounds().Size()
	if long := max(size.X, size.Y); long > longSide {
		size = image.Pt(max(1, size.X*longSide/long), max(1, size.Y*longSide/long))
		small := image.NewNRGBA(image.Rectangle{Max: size})
		draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
		img = small
	}
	var b bytes.Buffer
	mime = "image/png"
	if opaque, ok := img.(interface{ Opaque() bool }); ok && opaque.Opaque() && size.X*size.Y > 64*64 {
		mime = "image/jpeg"
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 80})
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		return nil, "", errors.Join(errors.New("encode a thumbnail"), err)
	}
	return b.Bytes(), mime, nil
}

// thumbnail returns an image's thumbnail as a data URI.
func thumbnail(raw []byte) (template.URL, error) {
	shown, mime, err := Thumbnail(raw)
	if err != nil {
		return "", err
	}
	return template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(shown)),
		nil //nolint:gosec // our own
}
