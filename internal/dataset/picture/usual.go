package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/image/draw"
)

// decodeUsual also decodes images that browsers show and Go's decoders refuse: JPEG without an end mark or without
// the colour model of its four components, and the first picture of an animated WebP.
func decodeUsual(raw []byte) (img image.Image, err error) {
	if frame, at := firstFrame(raw); frame != nil {
		img, _, err := image.Decode(bytes.NewReader(frame))
		if err != nil || at == (image.Point{}) {
			return img, err
		}
		moved := image.NewNRGBA(img.Bounds().Add(at))
		draw.Draw(moved, moved.Rect, img, img.Bounds().Min, draw.Src)
		return moved, nil
	}
	img, _, err = image.Decode(bytes.NewReader(raw))
	if errors.Is(err, io.ErrUnexpectedEOF) && isJPEG(raw) {
		raw = slices.Concat(raw, []byte("\xff\xd9"))
		img, _, err = image.Decode(bytes.NewReader(raw))
	}
	if err != nil && isJPEG(raw) && strings.Contains(err.Error(), "APP14") {
		img, _, err = image.Decode(bytes.NewReader(slices.Concat(raw[:2], adobe, raw[2:])))
	}
	return img, err
}

func isJPEG(raw []byte) bool { return bytes.HasPrefix(raw, []byte("\xff\xd8")) }

// adobe is the segment APP14 for four components without a transform (inverted CMYK), which browsers assume.
var adobe = []byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")

// firstFrame returns the first frame of an animated WebP as a separate file, and its place on the canvas, or nil for
// other images. See https://developers.google.com/speed/webp/docs/riff_container.
func firstFrame(raw []byte) (file []byte, at image.Point) {
	const animation, alpha = 1 << 1, 1 << 4
	if len(raw) < 30 || string(raw[:4]) != "RIFF" || string(raw[8:16]) != "WEBPVP8X" || raw[20]&animation == 0 {
		return nil, at
	}
	for rest := raw[12:]; len(rest) >= 8; {
		name, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:]))
		if 8+size > int64(len(rest)) {
			break
		}
		frame := rest[8 : 8+size]
		if name == "ANMF" && len(frame) > 20 {
			at = image.Pt(2*uint24(frame), 2*uint24(frame[3:]))
			if at.X+uint24(frame[6:]) > uint24(raw[24:]) || at.Y+uint24(frame[9:]) > uint24(raw[27:]) {
				break
			}
			header := []byte("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00")
			if string(frame[16:20]) == "ALPH" {
				header[8] = alpha
			}
			content := slices.Concat([]byte("WEBP"), header, frame[6:12], frame[16:])
			file = binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(content)))
			return append(file, content...), at
		}
		rest = rest[min(8+size+size%2, int64(len(rest))):]
	}
	return nil, image.Point{}
}

// uint24 decodes three bytes of WebP, where a width or height is stored minus one.
func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// explained adds to an error why an image cannot be read, and how to fix it.
func explained(raw []byte, err error) error {
	switch {
	case len(raw) == 0:
		return errors.New("empty file")
	case strings.HasPrefix(http.DetectContentType(raw), "text/html"):
		return errors.New("an HTML page in place of an image: download the image again")
	case isCut(raw, err):
		return fmt.Errorf("%w: the file is cut off", err)
	case strings.Contains(err.Error(), "tiff") && strings.Contains(strings.ToLower(err.Error()), "sample"):
		return fmt.Errorf("%w: convert it to unsigned integers of 8 or 16 bits, as grey or RGB", err)
	case !errors.Is(err, image.ErrFormat):
		return err
	}
	if len(raw) > 12 && string(raw[4:8]) == "ftyp" {
		brand := string(raw[8:12])
		switch {
		case brand == "avif" || brand == "avis":
			return errors.New("AVIF images cannot be read: convert this one (avifdec IN.avif OUT.png, " +
				"or magick IN.avif OUT.png)")
		case slices.Contains([]string{"heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"}, brand):
			return errors.New("HEIC images cannot be read: convert this one (heif-convert IN.heic OUT.jpg, " +
				"or magick IN.heic OUT.jpg)")
		}
	}
	return fmt.Errorf("%w: want JPEG, PNG, GIF, WebP, BMP or TIFF", err)
}

var cutOff = regexp.MustCompile("EOF|not enough|short Huffman data")

// isCut reports whether an error means that the file ends early.
func isCut(raw []byte, err error) bool {
	if isJPEG(raw) && bytes.HasSuffix(raw, []byte("\xff\xd9")) {
		return false
	}
	return cutOff.MatchString(err.Error())
}
