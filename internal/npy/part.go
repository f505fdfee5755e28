package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// Part is an array of float32 [rows columns] that is written a few rows at a time, by
// several processes one after the other if some of them are killed.
type Part struct {
	file    *os.File
	rows    int // that are written
	columns int
}

// OpenPart opens the array at path, or begins one of rows x columns. Rows that were
// written before are kept if the array has the same shape; what is left of a row that
// was cut off is removed. The caller sees to it that no other process writes there.
func OpenPart(path string, rows, columns int) (*Part, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	p := &Part{file: file, columns: columns}
	if err := p.resume(encodeHeader("<f4", rows, columns)); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return p, nil
}

func (p *Part) resume(head []byte) error {
	found := make([]byte, len(head))
	switch _, err := io.ReadFull(p.file, found); {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case !slices.Equal(found, head):
		if err := p.file.Truncate(0); err != nil {
			return err
		}
		_, err := p.file.WriteAt(head, 0)
		if err != nil {
			return err
		}
	}
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	size := int64(4 * p.columns)
	p.rows = int((info.Size() - int64(len(head))) / size)
	end := int64(len(head)) + int64(p.rows)*size
	if err := p.file.Truncate(end); err != nil {
		return err
	}
	_, err = p.file.Seek(end, io.SeekStart)
	return err
}

// Rows returns the number of rows that are written.
func (p *Part) Rows() int { return p.rows }

// Append writes rows behind those that are there. Panics if the values are not whole rows.
func (p *Part) Append(values []float32) error {
	if len(values)%p.columns != 0 {
		panic(fmt.Sprintf("npy: %d values in rows of %d", len(values), p.columns))
	}
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	if _, err := p.file.Write(b); err != nil {
		return err
	}
	p.rows += len(values) / p.columns
	return nil
}

// Sync has the system write the rows to the disk.
func (p *Part) Sync() error { return p.file.Sync() }

// Close closes the file.
func (p *Part) Close() error { return p.file.Close() }
