package tensorboard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A record is, little-endian: the data's length (8 bytes), its masked CRC-32C (4),
// the data, and the data's masked CRC-32C (4).
const (
	headerSize = 12
	footerSize = 4
)

// errTorn is the error of a record that ends too early or whose sum is wrong.
var errTorn = errors.New("record is torn")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of TFRecord: turned and moved, so that the sum of data
// which holds sums is not itself one of them.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

func appendRecord(b, data []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, masked(b[start:]))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, masked(data))
}

// nextRecord returns the data of the record at the head of b, and what follows.
func nextRecord(b []byte) (data, rest []byte, err error) {
	if len(b) < headerSize {
		return nil, nil, errTorn
	}
	size := binary.LittleEndian.Uint64(b)
	if masked(b[:8]) != binary.LittleEndian.Uint32(b[8:]) || size > uint64(len(b)) || uint64(len(b)) < headerSize+size+footerSize {
		return nil, nil, errTorn
	}
	data, rest = b[headerSize:headerSize+size], b[headerSize+size:]
	if masked(data) != binary.LittleEndian.Uint32(rest) {
		return nil, nil, fmt.Errorf("%w: its checksum is wrong", errTorn)
	}
	return data, rest[footerSize:], nil
}
