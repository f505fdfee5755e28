package published

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
)

// The idx format: two zero bytes, a type (8 is unsigned byte), the number of
// dimensions, then each dimension as a big-endian uint32, then the values.
// http://yann.lecun.com/exdb/mnist/
const (
	idxLabels = 0x00000801
	idxImages = 0x00000803
)

// maxValues bounds the allocation for a damaged header: 2 GiB, forty times MNIST.
const maxValues = 1 << 31

// readIdx reads an idx file of the given magic number, packed or not, and
// returns its dimensions and values. Every byte must be accounted for.
func readIdx(dir folder, file string, magic uint32) (dims []int, values []byte, f dataset.File, err error) {
	raw, f, err := dir.load(file)
	if err != nil {
		return nil, nil, f, err
	}
	var r io.Reader = bytes.NewReader(raw)
	unit := "byte"
	if strings.HasSuffix(f.Path, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, f, fmt.Errorf("%s: %w", f.Path, archive.NotGzip(err))
		}
		r, unit = z, "unpacked byte"
	}
	dims, values, err = parseIdx(r, magic, unit)
	if err != nil {
		return nil, nil, f, fmt.Errorf("%s: %w", f.Path, err)
	}
	return dims, values, f, nil
}

func parseIdx(r io.Reader, magic uint32, unit string) ([]int, []byte, error) {
	var word [4]byte
	offset := 0
	next := func(what string) (uint32, error) {
		n, err := io.ReadFull(r, word[:])
		if err != nil {
			return 0, fmt.Errorf("%s at %s %d: %w", what, unit, offset, cutShort(err, offset+n))
		}
		offset += 4
		return binary.BigEndian.Uint32(word[:]), nil
	}

	got, err := next("magic number")
	if err != nil {
		return nil, nil, err
	}
	if got != magic {
		return nil, nil, fmt.Errorf("magic number at %s 0: %w", unit, wrongMagic(got, magic))
	}
	var dims []int
	total := uint64(1)
	for k := range int(magic & 0xff) {
		d, err := next(fmt.Sprintf("dimension %d", k))
		if err != nil {
			return nil, nil, err
		}
		total *= uint64(d)
		if d == 0 || total > maxValues {
			return nil, nil, fmt.Errorf("dimension %d at %s %d is %d, which cannot be: the file is damaged: %w", k, unit,
				offset-4, d, archive.ErrDamaged)
		}
		dims = append(dims, int(d))
	}

	var values bytes.Buffer
	// Above MNIST's size, memory is allocated only as values arrive.
	values.Grow(int(min(total, 48<<20)) + bytes.MinRead)
	n, err := io.Copy(&values, io.LimitReader(r, int64(total)))
	if err == nil && n < int64(total) {
		err = io.ErrUnexpectedEOF
	}
	end := offset + int(n)
	if err != nil && n == int64(total) {
		return nil, nil, fmt.Errorf("end at %s %d: %w", unit, end, cutShort(err, end))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("values from %s %d on, %d by the header: %w", unit, offset, total, cutShort(err, end))
	}
	// Reading on to the end also checks gzip's checksum.
	switch extra, err := io.Copy(io.Discard, io.LimitReader(r, 1)); {
	case err != nil:
		return nil, nil, fmt.Errorf("end at %s %d: %w", unit, end, cutShort(err, end))
	case extra > 0:
		return nil, nil, fmt.Errorf("more than the %d values of the header: data from %s %d on: %w", total, unit, end,
			archive.ErrDamaged)
	}
	return dims, values.Bytes(), nil
}

// cutShort explains the errors of the readers, and how to fix the file.
func cutShort(err error, at int) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file is truncated: it ends after %d bytes of content: %w: %w", at, archive.ErrDamaged,
			io.ErrUnexpectedEOF)
	case errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("the file is damaged: %w: %w", archive.ErrDamaged, err)
	}
	return fmt.Errorf("the file is damaged after %d bytes of content: %w: %w", at, archive.ErrDamaged, err)
}

func wrongMagic(got, want uint32) error {
	names := map[uint32]string{idxLabels: "labels", idxImages: "images"}
	if is, ok := names[got]; ok {
		return fmt.Errorf("the file holds %s where %s are expected: are the files swapped?", is, names[want])
	}
	return fmt.Errorf("%#08x, want %#08x: this is not an idx file of %s: %w", got, want, names[want], archive.ErrDamaged)
}
