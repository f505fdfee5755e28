package datasettest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// WithEXIF puts EXIF data with an orientation into a PNG or a JPEG.
func WithEXIF(raw []byte, orientation int) []byte {
	data := []byte("MM\x00*\x00\x00\x00\x08\x00\x01")
	data = append(data, 0x01, 0x12, 0x00, 0x03, 0, 0, 0, 1, 0, byte(orientation), 0, 0, 0, 0, 0, 0)
	if bytes.HasPrefix(raw, []byte("\xff\xd8")) {
		part := append([]byte("Exif\x00\x00"), data...)
		head := append([]byte("\xff\xd8\xff\xe1"), binary.BigEndian.AppendUint16(nil, uint16(len(part)+2))...)
		return append(append(head, part...), raw[2:]...)
	}
	const first = 8 + 4 + 4 + 13 + 4 // the signature and the chunk IHDR
	chunk := append([]byte("eXIf"), data...)
	whole := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	whole = binary.BigEndian.AppendUint32(append(whole, chunk...), crc32.ChecksumIEEE(chunk))
	return append(append(bytes.Clone(raw[:first]), whole...), raw[first:]...)
}
