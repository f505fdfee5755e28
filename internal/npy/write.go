package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/google/renameio/v2"
)

// WriteFloat32 writes an array of float32 [len(values)/columns columns], atomically: a
// file that exists is replaced when the new one is complete. Panics if columns does not
// divide the number of values.
func WriteFloat32(path string, values []float32, columns int) error {
	if columns < 1 || len(values)%columns != 0 {
		panic(fmt.Sprintf("npy: %d values in rows of %d", len(values), columns))
	}
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer file.Cleanup()
	w := bufio.NewWriterSize(file, 1<<20)
	_, _ = w.Write(encodeHeader("<f4", len(values)/columns, columns))
	var b [4]byte
	for _, v := range values {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
		_, _ = w.Write(b[:]) // Flush returns the first error
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
func encodeHeader(descr string, rows, columns int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, columns)
	const before = len(magic) + 4
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}
