package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// WriteFloat32 writes an array of float32 [N columns...], atomically: a file that exists is
// replaced when the new one is complete. Panics if the product of columns does not divide the
// number of values.
func WriteFloat32(path string, values []float32, columns ...int) error {
	return writeArray(path, "<f4", values, columns, func(b []byte, v float32) []byte {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	})
}

// WriteBytes writes an array of bytes, as WriteFloat32 does.
func WriteBytes(path string, values []byte, columns int) error {
	return writeArray(path, "|u1", values, []int{columns}, func(b []byte, v byte) []byte { return append(b, v) })
}

func writeArray[T any](path, descr string, values []T, columns []int, encode func([]byte, T) []byte) error {
	row := 1
	for _, n := range columns {
		row *= n
	}
	if row < 1 || len(values)%row != 0 {
		panic(fmt.Sprintf("npy: %d values in rows of %v", len(values), columns))
	}
	file, err := files.Create(path, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer file.Cleanup()
	w := bufio.NewWriterSize(file, 1<<20)
	_, _ = w.Write(encodeHeader(descr, append([]int{len(values) / row}, columns...)...))
	var b []byte
	for _, v := range values {
		b = encode(b[:0], v)
		_, _ = w.Write(b) // Flush returns the first error
	}
	if err = w.Flush(); err == nil {
		err = file.CloseAtomicallyReplace()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// encodeHeader returns a header of version 1, with spaces so that the elements begin at
// a multiple of 64 bytes.
func encodeHeader(descr string, shape ...int) []byte {
	sizes := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, sizes)
	const before = len(magic) + 4
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}
