package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY"

// maxHeader bounds the length of a header, of which an array needs about 100 bytes.
const maxHeader = 1 << 20

// header is what comes before the elements.
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
		return header{}, fmt.Errorf("not an NPY file: it has less than %d bytes", len(start))
	}
	if string(start[:len(magic)]) != magic {
		if bytes.HasPrefix(start, []byte("PK\x03\x04")) {
			return header{}, errors.New("an NPZ archive, not an NPY file: save the array alone, with numpy.save")
		}
		return header{}, fmt.Errorf("not an NPY file: it begins with %q", start[:len(magic)])
	}
	var before, length int64 // the header's bytes before its text, and those of the text
	switch version := start[len(magic)]; version {
	case 1:
		var short [2]byte
		if _, err := io.ReadFull(r, short[:]); err != nil {
			return header{}, errTruncated
		}
		before, length = 10, int64(binary.LittleEndian.Uint16(short[:]))
	case 2, 3:
		var long [4]byte
		if _, err := io.ReadFull(r, long[:]); err != nil {
			return header{}, errTruncated
		}
		before, length = 12, int64(binary.LittleEndian.Uint32(long[:]))
	default:
		return header{}, fmt.Errorf("version %d of NPY; versions 1 to 3 are known", version)
	}
	if length > maxHeader {
		return header{}, fmt.Errorf("a header of %d bytes: the file is damaged", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, errTruncated
	}
	h, err := parseHeader(string(text))
	h.size = before + length
	return h, err
}

var errTruncated = errors.New("it is truncated in its header")

// parseHeader parses the Python dictionary of a header:
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
func parseHeader(text string) (header, error) {
	var h header
	p := parser{rest: text}
	p.want("{")
	seen := map[string]bool{}
	for !p.accept("}") {
		key, ok := p.quoted()
		if !ok || seen[key] || !p.accept(":") {
			return h, fmt.Errorf("malformed header %.100q", text)
		}
		seen[key] = true
		var err error
		switch key {
		case "descr":
			h.Type, err = p.descr()
		case "fortran_order":
			if h.fortran = p.accept("True"); !h.fortran {
				p.want("False")
			}
		case "shape":
			h.Shape, err = p.shape()
		default:
			err = fmt.Errorf("unknown key %q in the header", key)
		}
		if err != nil {
			return h, err
		}
		if !p.accept(",") && !p.ahead("}") {
			return h, fmt.Errorf("malformed header %.100q", text)
		}
	}
	if p.failed || len(seen) != 3 || strings.TrimSpace(p.rest) != "" {
		return h, fmt.Errorf("malformed header %.100q", text)
	}
	return h, nil
}

// parser reads the few forms of Python that a header has.
type parser struct {
	rest   string
	failed bool
}

func (p *parser) ahead(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \n")
	return strings.HasPrefix(p.rest, token)
}

func (p *parser) accept(token string) bool {
	if !p.ahead(token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *parser) want(token string) {
	if !p.accept(token) {
		p.failed = true
	}
}

// quoted reads a string, which has no escapes here.
func (p *parser) quoted() (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if p.accept(quote) {
			text, rest, ok := strings.Cut(p.rest, quote)
			p.rest = rest
			return text, ok
		}
	}
	return "", false
}

func (p *parser) descr() (Type, error) {
	if p.ahead("[") {
		return Type{}, errors.New("an array of records: save each field alone")
	}
	code, ok := p.quoted()
	if !ok {
		return Type{}, fmt.Errorf("malformed type in the header: %.40q", p.rest)
	}
	return parseType(code)
}

// shape reads a tuple and checks that its product is an int.
func (p *parser) shape() ([]int, error) {
	shape := []int{}
	product := int64(1)
	p.want("(")
	for !p.accept(")") {
		if len(shape) > 0 {
			p.want(",")
			if p.accept(")") {
				break
			}
		}
		end := strings.IndexFunc(p.rest, func(r rune) bool { return r != ' ' && (r < '0' || r > '9') })
		if p.failed || end < 0 {
			return nil, fmt.Errorf("malformed shape in the header: %.40q", p.rest)
		}
		n, err := strconv.ParseInt(strings.TrimSpace(p.rest[:end]), 10, 64)
		if err != nil || n > 0 && product > math.MaxInt64/16/n || len(shape) == 32 {
			return nil, fmt.Errorf("the header has an impossible shape: %.40q", p.rest)
		}
		p.rest = p.rest[end:]
		shape = append(shape, int(n))
		product *= max(n, 1)
	}
	return shape, nil
}
