package picture

import (
	"bytes"
	"image"
	"image/draw"

	"github.com/bep/imagemeta"
)

// orientationOf returns the turn of a photo, 1 to 8, from its EXIF data, where phones store how they were held. The
// default, 1, leaves the photo as it is. raw may be only the beginning of a file.
func orientationOf(raw []byte) int {
	format := formatOf(raw)
	if format == 0 {
		return 1
	}
	turned := 1
	_, _ = imagemeta.Decode(imagemeta.Options{ // a damaged tag counts as none
		R: bytes.NewReader(raw), ImageFormat: format, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return tag.Tag == "Orientation" && tag.Namespace == "IFD0" },
		HandleTag: func(tag imagemeta.TagInfo) error {
			if v, ok := tag.Value.(uint16); ok && v >= 1 && v <= 8 {
				turned = int(v)
			}
			return imagemeta.ErrStopWalking
		},
		Warnf: func(string, ...any) {},
	})
	return turned
}

// formatOf returns the format of an image that may have EXIF data, or 0.
func formatOf(raw []byte) imagemeta.ImageFormat {
	const ahead = 1 << 18 // EXIF data must be in this part
	head := raw[:min(len(raw), ahead)]
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xd8")) && bytes.Contains(head, []byte("Exif\x00\x00")):
		return imagemeta.JPEG
	case bytes.HasPrefix(raw, []byte("\x89PNG")) && bytes.Contains(head, []byte("eXIf")):
		return imagemeta.PNG
	case bytes.HasPrefix(raw, []byte("RIFF")) && bytes.Contains(raw, []byte("EXIF")):
		return imagemeta.WebP
	case bytes.HasPrefix(raw, []byte("II*\x00")), bytes.HasPrefix(raw, []byte("MM\x00*")):
		return imagemeta.TIFF
	}
	return 0
}

// sideways reports whether a turn swaps width and height.
func sideways(orientation int) bool { return orientation >= 5 }

// oriented applies a turn to an image.
func oriented(img image.Image, orientation int) image.Image {
	if orientation <= 1 {
		return img
	}
	b := img.Bounds()
	from := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(from, from.Rect, img, b.Min, draw.Src)
	w, h := b.Dx(), b.Dy()
	to := image.NewNRGBA(image.Rect(0, 0, w, h))
	if sideways(orientation) {
		to = image.NewNRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			i, j := turned(x, y, w, h, orientation)
			copy(to.Pix[to.PixOffset(i, j):][:4], from.Pix[from.PixOffset(x, y):][:4])
		}
	}
	return to
}

// turned returns the place after the turn of pixel (x, y) in a stored image of w x h pixels.
func turned(x, y, w, h, orientation int) (i, j int) {
	switch orientation {
	case 2, 3, 7, 8:
		x = w - 1 - x
	}
	switch orientation {
	case 3, 4, 6, 7:
		y = h - 1 - y
	}
	if sideways(orientation) {
		return y, x
	}
	return x, y
}

// turnedPart returns the place after the turn of a part of a stored image.
func turnedPart(part image.Rectangle, size image.Point, orientation int) image.Rectangle {
	if part.Empty() {
		return part
	}
	i, j := turned(part.Min.X, part.Min.Y, size.X, size.Y, orientation)
	k, l := turned(part.Max.X-1, part.Max.Y-1, size.X, size.Y, orientation)
	return image.Rect(min(i, k), min(j, l), max(i, k)+1, max(j, l)+1)
}
