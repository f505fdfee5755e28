package rows

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/delta"
)

var errCut = errors.New("the values of a page end too early: it is damaged")

// deltas reads numbers in DELTA_BINARY_PACKED, of which a page may have so many. It returns the sum of the
// positive ones, as lengths are, and what follows them.
func deltas(page []byte, most int32) (sum int64, rest []byte, err error) {
	var header [3]uint64 // values of a block, parts of a block, all values
	rest = page
	for k := range header {
		if header[k], rest, err = uvarint(rest); err != nil {
			return 0, nil, err
		}
	}
	if _, rest, err = uvarint(rest); err != nil { // the first value
		return 0, nil, err
	}
	block, parts, total := header[0], header[1], header[2]
	switch {
	case total > uint64(max(most, 0)):
		return 0, nil, fmt.Errorf("%d values in a page of %d: it is damaged, or made to take memory", total, most)
	case parts == 0 || block == 0 || block > 1<<20 || block%parts != 0:
		return 0, nil, fmt.Errorf("blocks of %d values in %d parts: the page is damaged", block, parts)
	}
	each := int(block / parts)
	for left := int(total) - 1; left > 0; {
		if _, rest, err = uvarint(rest); err != nil { // the least difference
			return 0, nil, err
		}
		if uint64(len(rest)) < parts {
			return 0, nil, errCut
		}
		var widths []byte
		widths, rest = rest[:parts], rest[parts:]
		for _, width := range widths {
			if left <= 0 {
				break
			}
			rest = rest[min(len(rest), each*int(width)/8):] // the last one may be cut
			left -= each
		}
	}
	values, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, page)
	if err != nil {
		return 0, rest, nil //nolint:nilerr // numbers of 64 bits, which are no lengths; damaged ones are left to the library
	}
	for _, v := range values {
		sum += int64(max(v, 0))
	}
	return sum, rest, nil
}

// checkRuns checks that the runs of RLE have about so many values.
func checkRuns(page []byte, width int, most int32) error {
	allowed := 2*uint64(max(most, 0)) + 1<<10
	for n := uint64(0); len(page) > 0; {
		header, rest, err := uvarint(page)
		if err != nil {
			return err
		}
		values, size := header>>1, uint64(width+7)/8
		if header&1 == 1 {
			values, size = 8*(header>>1), (header>>1)*uint64(width)
		}
		if n += values; values > allowed || n > allowed {
			return fmt.Errorf("runs of %d values in a page of %d: it is damaged, or made to take memory", n, most)
		}
		page = rest[min(uint64(len(rest)), size):]
	}
	return nil
}

func uvarint(page []byte) (uint64, []byte, error) {
	u, n := binary.Uvarint(page)
	if n <= 0 {
		return 0, nil, errCut
	}
	return u, page[n:], nil
}
