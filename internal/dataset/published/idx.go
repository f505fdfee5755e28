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

// maxValues limits the memory that a damaged header can claim: 2 GiB, forty times MNIST.
const maxValues = 1 << 31

// readIdx reads an idx file with the given magic number, packed or not, and returns its
// dimensions and values. Extra and missing bytes are errors.
func readIdx(dir folder, file string, magic uint32) (dims []int, values []byte, f dataset.File, err error) {
	content, f, err := dir.load(file)
	if err != nil {
		return nil, nil, f, err
	}
	unit, damage := "byte", error(nil)
	if strings.HasSuffix(f.Path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, nil, f, fmt.Errorf("%s: %w", f.Path, archive.NotGzip(err))
		}
		unit = "unpacked byte"
		content, damage = io.ReadAll(io.LimitReader(z, 2*maxValues))
	}
	if dims, values, err = parseIdx(content, damage, magic, unit); err != nil {
		return nil, nil, f, fmt.Errorf("%s: %w", f.Path, err)
	}
	return dims, values, f, nil
}

// parseIdx parses the content of a file. If damage is not nil, it is why the content ends
// early.
func parseIdx(content []byte, damage error, magic uint32, unit string) (dims []int, values []byte, err error) {
	header, total := 4*(1+int(magic&0xff)), uint64(1)
	for at := 0; at < header; at += 4 {
		what := "magic number"
		if at > 0 {
			what = fmt.Sprintf("dimension %d", at/4-1)
		}
		if len(content) < at+4 {
			return nil, nil, fmt.Errorf("%s at %s %d: %w", what, unit, at, cutShort(damage, len(content)))
		}
		n := binary.BigEndian.Uint32(content[at:])
		if at == 0 {
			if n != magic {
				return nil, nil, fmt.Errorf("%s at %s 0: %w", what, unit, wrongMagic(n, magic))
			}
			continue
		}
		if total *= uint64(n); n == 0 || total > maxValues {
			return nil, nil, fmt.Errorf("%s at %s %d is %d, which is impossible: the file is damaged: %w", what, unit, at, n,
				archive.ErrDamaged)
		}
		dims = append(dims, int(n))
	}
	values = content[header:]
	end := header + int(total)
	switch {
	case len(content) < end:
		return nil, nil, fmt.Errorf("values from %s %d on, %d according to the header: %w", unit, header, total,
			cutShort(damage, len(content)))
	case damage != nil:
		return nil, nil, fmt.Errorf("end at %s %d: %w", unit, end, cutShort(damage, end))
	case len(content) > end:
		return nil, nil, fmt.Errorf("more than the header's %d values: extra data from %s %d on: %w", total, unit, end,
			archive.ErrDamaged)
	}
	return dims, values, nil
}

// cutShort explains why a file ends early, and how to fix it.
func cutShort(err error, at int) error {
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
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
		return fmt.Errorf("the file holds %s, want %s: check whether the files are swapped", is, names[want])
	}
	return fmt.Errorf("%#08x, want %#08x: not an idx file of %s: %w", got, want, names[want], archive.ErrDamaged)
}
