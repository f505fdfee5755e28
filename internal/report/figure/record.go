package figure

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/losscorr/losscorr/internal/report"
)

// recordKey is the keyword of the text in a PNG file that says what was drawn.
const recordKey = "losscorr"

// recordOf is the cells of a column as a line of WriteCSV each, with what computed them.
func recordOf(t *report.Table, column int) (string, error) {
	part := *t
	part.Columns = t.Columns[column : column+1]
	part.Cells = make([][]*report.Cell, len(t.Cells))
	for i, line := range t.Cells {
		part.Cells[i] = line[column : column+1]
	}
	var b bytes.Buffer
	err := report.WriteCSV(&b, []*report.Table{&part}, "")
	return b.String(), err
}

// withRecord puts a text into a PNG file, behind its header, as an iTXt chunk.
func withRecord(png []byte, text string) []byte {
	if text == "" {
		return png
	}
	const head = 8 + 4 + 4 + 13 + 4 // signature and IHDR
	data := append([]byte("iTXt"+recordKey), 0, 0, 0, 0, 0)
	data = append(data, text...)
	out := append([]byte(nil), png[:head]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)-4))
	out = append(out, data...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	return append(out, png[head:]...)
}
