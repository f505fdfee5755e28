package npy

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// WriteFloat32 writes an array of float32 [N columns...] atomically: it replaces an existing file
// once the new one is complete. Panics if the product of columns does not divide the number of
// values.
func WriteFloat32(path string, values []float32, columns ...int) error {
	return writeArray(path, "<f4", values, columns)
}

// WriteBytes writes an array of bytes, as WriteFloat32 does.
func WriteBytes(path string, values []byte, columns int) error {
	return writeArray(path, "|u1", values, []int{columns})
}

func writeArray[T any](path, descr string, values []T, columns []int) error {
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
	_, err = file.Write(encodeHeader(descr, append([]int{len(values) / row}, columns...)...))
	for part := range slices.Chunk(values, 1<<18) {
		if err == nil {
			err = binary.Write(file, binary.LittleEndian, part)
		}
	}
	if err == nil {
		err = file.CloseAtomicallyReplace()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// encodeHeader returns a header of version 1, padded so that the elements start at a
// multiple of 64 bytes.
func encodeHeader(descr string, shape ...int) []byte {
	sizes := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, sizes)
	const before = len(magic) + 4
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}
