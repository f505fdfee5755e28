package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY"

// maxHeader limits the length of a header; arrays need about 100 bytes.
const maxHeader = 1 << 20

// header is the part of a file before the elements.
type header struct {
	Type    Type
	Shape   []int
	fortran bool
	size    int64 // of the header in the file, in bytes
}

// readHeader reads a header and leaves r at the first element.
func readHeader(r io.Reader) (header, error) {
	start := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, start); err != nil {
		return header{}, fmt.Errorf("not an NPY file: it has fewer than %d bytes", len(start))
	}
	if string(start[:len(magic)]) != magic {
		if bytes.HasPrefix(start, []byte("PK\x03\x04")) {
			return header{}, errors.New("an NPZ archive, not an NPY file: save the array with numpy.save")
		}
		return header{}, fmt.Errorf("not an NPY file: it starts with %q", start[:len(magic)])
	}
	version := start[len(magic)]
	if version < 1 || version > 3 {
		return header{}, fmt.Errorf("version %d of NPY is not supported; use versions 1 to 3", version)
	}
	truncated := errors.New("it is truncated in its header")
	number := make([]byte, 4)[:min(2*version, 4)] // the length of the text
	if _, err := io.ReadFull(r, number); err != nil {
		return header{}, truncated
	}
	length := binary.LittleEndian.Uint32(number[:4])
	if length > maxHeader {
		return header{}, fmt.Errorf("a header of %d bytes: the file is damaged", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, truncated
	}
	h, err := parseHeader(string(text))
	h.size = int64(len(start)+len(number)) + int64(length)
	return h, err
}

// The entries of a header, which is a Python dictionary:
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
var (
	descrEntry = regexp.MustCompile(`['"]descr['"]\s*:\s*(\[|['"]([^'"]*)['"])`)
	orderEntry = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	shapeEntry = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^()]*)\)`)
)

func parseHeader(text string) (h header, err error) {
	descr, order, shape := descrEntry.FindStringSubmatch(text), orderEntry.FindStringSubmatch(text),
		shapeEntry.FindStringSubmatch(text)
	if descr == nil || order == nil || shape == nil {
		return h, fmt.Errorf("malformed header %.100q", text)
	}
	if descr[1] == "[" {
		return h, errors.New("an array of records: save each field as an array")
	}
	if h.Type, err = parseType(descr[2]); err != nil {
		return h, err
	}
	h.fortran = order[1] == "True"
	h.Shape, err = parseShape(shape[1])
	return h, err
}

// parseShape reads the numbers of a shape and checks that their product is an int.
func parseShape(text string) ([]int, error) {
	shape := []int{}
	product := int64(1)
	for size := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(text), ","), ",") {
		if size == "" && len(shape) == 0 {
			break // a single number ends with a comma
		}
		n, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
		if err != nil || n < 0 || n > 0 && product > math.MaxInt64/16/n || len(shape) == 32 {
			return nil, fmt.Errorf("the header has an impossible shape: (%.40s)", text)
		}
		shape = append(shape, int(n))
		product *= max(n, 1)
	}
	return shape, nil
}
