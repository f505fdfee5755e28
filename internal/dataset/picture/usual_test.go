package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func le24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

func chunk(name string, content ...[]byte) []byte {
	all := slices.Concat(content...)
	return append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(all))), all...)
}

// animated returns a WebP of a canvas whose first frame is a still one at a place.
func animated(still string, frame image.Rectangle, canvas image.Point) []byte {
	size := func(p image.Point) []byte { return append(le24(p.X-1), le24(p.Y-1)...) }
	anmf := chunk("ANMF", le24(frame.Min.X/2), le24(frame.Min.Y/2), size(frame.Size()), make([]byte, 4),
		[]byte(still[12:]))
	return chunk("RIFF", []byte("WEBP"), chunk("VP8X", []byte{2, 0, 0, 0}, size(canvas)), chunk("ANIM", make([]byte, 6)),
		anmf, anmf)
}

// The first picture of an animated WebP counts; around a smaller one it is black.
func TestAnimatedWebP(t *testing.T) {
	// From Pillow: red, green, blue and {9, 8, 7}, without losses.
	const encoded = "UklGRjIAAABXRUJQVlA4TCUAAAAvAUAAAB8gJCBo/h92Q0iQkP3/VyEBQfJ/sfkPfHJUcAOGiP6HAA=="
	still := expect.Got(base64.StdEncoding.DecodeString(encoded))(t)
	frame := image.Rect(0, 0, 2, 2)
	for _, at := range []image.Point{{}, {4, 2}} {
		canvas := frame.Max.Add(at)
		got := make([]byte, 3*canvas.X*canvas.Y)
		expect.OK(t, decodeInto(got, animated(string(still), frame.Add(at), canvas)))
		want := make([]byte, len(got))
		for k, colour := range [][]byte{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 8, 7}} {
			for c, v := range colour {
				want[c*canvas.X*canvas.Y+(at.Y+k/2)*canvas.X+at.X+k%2] = v
			}
		}
		expect.Same(t, want, got, at)
	}
	expect.Says(t, expect.Err(Decode(animated(string(still), frame, image.Pt(1, 2)))), "webp") // beyond its canvas
}

// inks is a JPEG of 8 x 8 pixels with four components, all 0, and the marker of Adobe.
func inks(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	expect.OK(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil))
	grey := b.Bytes()
	frame, scan := bytes.Index(grey, []byte("\xff\xc0")), bytes.Index(grey, []byte("\xff\xda"))
	four := []byte{0xff, 0xc0, 0, 20, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0}
	out := slices.Concat(grey[:2], adobe, grey[2:frame], four, grey[frame+13:scan])
	for id := range byte(4) {
		out = slices.Concat(out, []byte{0xff, 0xda, 0, 8, 1, id + 1, 0, 0, 63, 0}, grey[scan+10:len(grey)-2])
	}
	return append(out, 0xff, 0xd9)
}

// JPEG without an end mark or the marker of its colours is decoded as with them.
func TestUsualJPEG(t *testing.T) {
	photo := []byte(datasettest.JPEGFile(t, datasettest.Waves(1, 32, 24), 90))
	marked := inks(t)
	plain := slices.Concat(marked[:2], marked[2+len(adobe):])
	for name, files := range map[string][2][]byte{
		"without an end":  {photo, photo[:len(photo)-2]},
		"without a model": {marked, plain},
		"without both":    {marked, plain[:len(plain)-2]},
	} {
		want, got := make([]byte, 3*32*24), make([]byte, 3*32*24)
		expect.OK(t, decodeInto(want, files[0]))
		expect.OK(t, decodeInto(got, files[1]))
		expect.Same(t, want, got, name)
	}
	img := expect.Got(Decode(plain))(t)
	expect.Same(t, color.Color(color.NRGBA{A: 255}), color.NRGBAModel.Convert(img.At(3, 3)))
}

// pngHeader is the beginning of a PNG of a size.
func pngHeader(width, height uint32) string {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	header = append(binary.BigEndian.AppendUint32(header, height), 8, 2, 0, 0, 0)
	return "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" + string(binary.BigEndian.AppendUint32(header, crc32.ChecksumIEEE(header)))
}

// Errors name the fault of the file.
func TestUnreadable(t *testing.T) {
	img := datasettest.Waves(1, 64, 64)
	var files [5]bytes.Buffer
	expect.OK(t, jpeg.Encode(&files[0], img, nil), png.Encode(&files[1], img), gif.Encode(&files[2], img, nil),
		bmp.Encode(&files[3], img), tiff.Encode(&files[4], img, nil))
	cases := map[string][]string{
		"empty file": {""},
		"an HTML page in place of an image: download": {"<!DOCTYPE html><html>404</html>", "\n<html>"},
		"at most 67,108,864, and 32,768 on a side":    {pngHeader(8200, 8200), pngHeader(40000, 1)},
	}
	for k := range files {
		cases["the file is cut off"] = append(cases["the file is cut off"], files[k].String()[:files[k].Len()/2])
	}
	var signed bytes.Buffer
	expect.OK(t, tiff.Encode(&signed, image.NewGray16(image.Rect(0, 0, 2, 2)), nil))
	// The tag ResolutionUnit, 2, becomes SampleFormat, which is 2 of signed numbers.
	cases["convert it to unsigned integers of 8 or 16 bits"] = []string{strings.Replace(signed.String(),
		"\x28\x01\x03\x00", "\x53\x01\x03\x00", 1)}
	for want, list := range cases {
		for _, raw := range list {
			expect.Says(t, expect.Err(Decode([]byte(raw))), want)
		}
	}
}
