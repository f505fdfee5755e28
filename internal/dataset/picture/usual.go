package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"regexp"
	"slices"
	"strings"
)

// decodeUsual also decodes images that browsers show and Go's decoders refuse: JPEG without an end mark or without
// the colour model of its four components.
func decodeUsual(raw []byte) (img image.Image, err error) {
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

// explained adds to an error why an image cannot be read.
func explained(raw []byte, err error) error {
	switch {
	case len(raw) == 0:
		return errors.New("empty file")
	case isCut(raw, err):
		return fmt.Errorf("%w: the file is cut off", err)
	case errors.Is(err, image.ErrFormat):
		return fmt.Errorf("%w: want JPEG, PNG, GIF, WebP, BMP or TIFF", err)
	}
	return err
}

var cutOff = regexp.MustCompile("EOF|not enough|short Huffman data")

// isCut reports whether an error means that the file ends early.
func isCut(raw []byte, err error) bool {
	if isJPEG(raw) && bytes.HasSuffix(raw, []byte("\xff\xd9")) {
		return false
	}
	return cutOff.MatchString(err.Error())
}
