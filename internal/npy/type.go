package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Type is the type of an array's elements.
type Type struct {
	Kind Kind
	Size int // bytes per element

	order binary.ByteOrder
}

// Kind is the kind of an array's elements.
type Kind byte

// The kinds of elements, as the format writes them.
const (
	Bool     Kind = 'b'
	Signed   Kind = 'i'
	Unsigned Kind = 'u'
	Float    Kind = 'f'
	Unicode  Kind = 'U' // 4 bytes per character
	Bytes    Kind = 'S'
)

// sizes are the bytes that numbers and booleans may have.
var sizes = map[Kind][]int{Bool: {1}, Signed: {1, 2, 4, 8}, Unsigned: {1, 2, 4, 8}, Float: {2, 4, 8}}

// parseType parses a type such as <f4 or |u1.
func parseType(code string) (Type, error) {
	if code == "|O" {
		return Type{}, errors.New("an array of Python objects: convert it, for example with x.astype(float) or, for " +
			"labels, y.astype(str)")
	}
	if len(code) < 3 {
		return Type{}, fmt.Errorf("elements of type %q are not supported", code)
	}
	size, err := strconv.Atoi(code[2:])
	t := Type{Kind: Kind(code[1]), Size: size, order: binary.LittleEndian}
	if code[0] == '>' {
		t.order = binary.BigEndian
	}
	if t.Kind == Unicode {
		t.Size = 4 * size
	}
	known := slices.Contains(sizes[t.Kind], size) || !t.isNumber() && size > 0 && size <= maxString
	if err != nil || !known || !strings.Contains("<>|", code[:1]) {
		return Type{}, fmt.Errorf("elements of type %q are not supported; use booleans, integers, floats of 2 to 8 "+
			"bytes or strings", code)
	}
	return t, nil
}

// maxString limits the characters of a string.
const maxString = 1 << 20

// String returns NumPy's name of the type.
func (t Type) String() string {
	switch t.Kind {
	case Bool:
		return "bool"
	case Unicode:
		return fmt.Sprintf("<U%d", t.Size/4)
	case Bytes:
		return fmt.Sprintf("|S%d", t.Size)
	}
	names := map[Kind]string{Signed: "int", Unsigned: "uint", Float: "float"}
	return names[t.Kind] + strconv.Itoa(8*t.Size)
}

// isNumber reports whether the elements are numbers or booleans.
func (t Type) isNumber() bool { return t.Kind != Unicode && t.Kind != Bytes }
