package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
)

// stretch shifts the samples of a 16-bit image so that its detector's 8, 10, 12, 14 or 16 bits fill the range. Files
// rarely state the number of bits, so it is taken from the largest sample.
//
// Viewers for microscopy and radiology scale each image by its own range as well. Steps of two bits, instead of the
// maximum itself, keep images of one detector comparable.
func stretch(img image.Image) {
	pix, channels := samples(img)
	if pix == nil {
		return
	}
	most := uint16(0)
	each := func(visit func(sample []byte)) {
		for k := 0; k+1 < len(pix); k += 2 {
			if channels == 1 || k%8 != 6 { // not alpha
				visit(pix[k : k+2])
			}
		}
	}
	each(func(sample []byte) { most = max(most, binary.BigEndian.Uint16(sample)) })
	shift := 0
	for bits := 14; bits >= 8 && most < 1<<bits; bits -= 2 {
		shift = 16 - bits
	}
	if shift > 0 {
		each(func(sample []byte) { binary.BigEndian.PutUint16(sample, binary.BigEndian.Uint16(sample)<<shift) })
	}
}

// samples returns the samples of a 16-bit image, where alpha is the last of four channels, or nil for other images
// and for premultiplied colours.
func samples(img image.Image) (pix []byte, channels int) {
	switch m := img.(type) {
	case *image.Gray16:
		return m.Pix, 1
	case *image.NRGBA64:
		return m.Pix, 4
	case *image.RGBA64:
		if m.Opaque() {
			return m.Pix, 4
		}
	}
	return nil, 0
}

// is16Bit reports whether an image may have samples of 16 bits, by its header.
func is16Bit(raw []byte) bool {
	c, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || format != "png" && format != "tiff" {
		return false
	}
	return slices.Contains([]color.Model{color.Gray16Model, color.RGBA64Model, color.NRGBA64Model}, c.ColorModel)
}
