package npy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/files"
)

// Array is an open NPY file.
type Array struct {
	Path string
	header
	file *os.File
	all  []byte // set by Row for an array in Fortran order
}

// Open reads the header of a file. It fails if the size of the file does not match the header,
// so that reading never needs more memory than the file's size.
func Open(path string) (*Array, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	h, err := openHeader(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Array{Path: path, header: h, file: file}, nil
}

func openHeader(file *os.File) (header, error) {
	info, err := file.Stat()
	if err != nil {
		return header{}, err
	}
	if info.IsDir() {
		return header{}, errors.New("a folder, not an NPY file")
	}
	h, err := readHeader(bufio.NewReader(file))
	if err != nil {
		return header{}, err
	}
	elements := info.Size() - h.size
	if size := int64(h.Type.Size); elements%size != 0 || elements/size != int64(h.count()) {
		return header{}, fmt.Errorf("its header is for %s %v, but it has %d bytes of elements: it is truncated or damaged",
			h.Type, h.Shape, elements)
	}
	return h, nil
}

// ReadFloat32 returns the elements of a file as float32, and its shape.
func ReadFloat32(path string) (values []float32, shape []int, err error) {
	a, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	values, err = a.Float32s()
	return values, a.Shape, err
}

// Close closes the file.
func (a *Array) Close() error { return a.file.Close() }

// count returns the number of elements.
func (h header) count() int {
	n := 1
	for _, d := range h.Shape {
		n *= d
	}
	return n
}

// Float32s returns the elements, numbers or booleans, as float32. Numbers out of the
// range of float32 become infinite.
func (a *Array) Float32s() ([]float32, error) {
	if !a.Type.isNumber() {
		return nil, fmt.Errorf("%s: an array of strings (%s) instead of numbers", a.Path, a.Type)
	}
	value := a.Type.float()
	if a.Type.Kind == Float && a.Type.Size == 4 {
		return read(a, func(b []byte) float32 { return math.Float32frombits(a.Type.order.Uint32(b)) })
	}
	return read(a, func(b []byte) float32 { return float32(value(b)) })
}

// Halves returns the bits of elements of type float16. Panics for other types.
func (a *Array) Halves() ([]uint16, error) {
	if a.Type.Kind != Float || a.Type.Size != 2 {
		panic("npy: Halves of " + a.Type.String())
	}
	return read(a, a.Type.order.Uint16)
}

// Bytes returns elements of type uint8. Panics for other types.
func (a *Array) Bytes() ([]byte, error) {
	a.wantBytes()
	return read(a, func(b []byte) byte { return b[0] })
}

func (a *Array) wantBytes() {
	if a.Type.Kind != Unsigned || a.Type.Size != 1 {
		panic("npy: Bytes of " + a.Type.String())
	}
}

// Row reads the uint8 elements at one index of the first dimension. The first call reads the whole array if that is in
// Fortran order. Panics for other types and for an index out of range.
func (a *Array) Row(index int) ([]byte, error) {
	a.wantBytes()
	size := a.count() / a.Shape[0]
	if a.isFortran() {
		var err error
		if a.all == nil {
			a.all, err = a.Bytes()
		}
		if err != nil {
			return nil, err
		}
		return a.all[index*size : (index+1)*size], nil
	}
	row := make([]byte, size)
	if _, err := a.file.ReadAt(row, a.size+int64(index)*int64(size)); err != nil {
		return nil, fmt.Errorf("read %s: %w", a.Path, err)
	}
	return row, nil
}

// isFortran reports whether the first index changes fastest in the file.
func (a *Array) isFortran() bool {
	long := 0
	for _, d := range a.Shape {
		if d > 1 {
			long++
		}
	}
	return a.fortran && long > 1
}

// Strings returns the elements as text: whole numbers of any type without a decimal point,
// and other numbers in their shortest form, such as 0.5 and NaN.
func (a *Array) Strings() ([]string, error) {
	known := map[string]string{} // by the bytes of the element, since labels repeat
	convert := a.Type.text()
	var problem error
	texts, err := read(a, func(b []byte) string {
		text, ok := known[string(b)]
		if !ok {
			if text = convert(b); !utf8.ValidString(text) && problem == nil {
				problem = fmt.Errorf("%s: the string %q is not UTF-8 text", a.Path, text)
			}
			known[string(b)] = text
		}
		return text
	})
	if err == nil {
		err = problem
	}
	return texts, err
}

// text returns the conversion of an element's bytes to text.
func (t Type) text() func(b []byte) string {
	switch t.Kind {
	case Float:
		value := t.float()
		return func(b []byte) string { return strconv.FormatFloat(value(b)+0, 'f', -1, min(max(8*t.Size, 32), 64)) }
	case Signed:
		return func(b []byte) string { return strconv.FormatInt(t.signed(b), 10) }
	case Bool, Unsigned:
		return func(b []byte) string { return strconv.FormatUint(t.bits(b), 10) }
	case Bytes:
		return func(b []byte) string { return strings.TrimRight(string(b), "\x00") }
	}
	return func(b []byte) string {
		var text strings.Builder
		for ; len(b) > 0; b = b[4:] {
			text.WriteRune(rune(t.order.Uint32(b)))
		}
		return strings.TrimRight(text.String(), "\x00")
	}
}

// float returns the conversion of an element's bytes to a number.
func (t Type) float() func(b []byte) float64 {
	switch t.Kind {
	case Signed:
		return func(b []byte) float64 { return float64(t.signed(b)) }
	case Float:
		switch t.Size {
		case 2:
			return func(b []byte) float64 { return float64(Half(uint16(t.bits(b)))) }
		case 4:
			return func(b []byte) float64 { return float64(math.Float32frombits(uint32(t.bits(b)))) }
		}
		return func(b []byte) float64 { return math.Float64frombits(t.bits(b)) }
	}
	return func(b []byte) float64 { return float64(t.bits(b)) }
}

// bits returns the bytes of an element as a number.
func (t Type) bits(b []byte) uint64 {
	switch t.Size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(t.order.Uint16(b))
	case 4:
		return uint64(t.order.Uint32(b))
	}
	return t.order.Uint64(b)
}

func (t Type) signed(b []byte) int64 {
	unused := 64 - 8*t.Size
	return int64(t.bits(b)) << unused >> unused
}

// read returns all elements in C order.
func read[T any](a *Array, convert func([]byte) T) ([]T, error) {
	if _, err := a.file.Seek(a.size, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read %s: %w", a.Path, err)
	}
	all := make([]T, a.count())
	size := a.Type.Size
	next := a.places()
	chunk := make([]byte, max(1<<20/size, 1)*size)
	for done := 0; done < len(all); {
		part := chunk[:min(len(chunk), (len(all)-done)*size)]
		if _, err := io.ReadFull(a.file, part); err != nil {
			return nil, fmt.Errorf("read %s: %w", a.Path, err)
		}
		for ; len(part) > 0; part = part[size:] {
			place := done
			if next != nil {
				place = next()
			}
			all[place] = convert(part[:size])
			done++
		}
	}
	return all, nil
}

// places returns a function that yields the position in C order of each element of the
// file in turn, or nil if the file is in C order.
func (a *Array) places() func() int {
	if !a.isFortran() {
		return nil
	}
	strides := make([]int, len(a.Shape))
	stride := 1
	for k := len(a.Shape) - 1; k >= 0; k-- {
		strides[k] = stride
		stride *= a.Shape[k]
	}
	index := make([]int, len(a.Shape))
	place := 0
	return func() int {
		at := place
		for k := range index {
			index[k]++
			place += strides[k]
			if index[k] < a.Shape[k] {
				break
			}
			place -= index[k] * strides[k]
			index[k] = 0
		}
		return at
	}
}

// Half returns the value of a float16 (IEEE 754 binary16) given its bits.
func Half(bits uint16) float32 {
	sign := uint32(bits&0x8000) << 16
	exponent, fraction := uint32(bits>>10&0x1f), uint32(bits&0x3ff)
	switch exponent {
	case 0: // zero and subnormal numbers, of 2^-24 each
		value := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(value) | sign)
	case 0x1f: // infinite and NaN
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
