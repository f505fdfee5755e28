package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/losscorr/losscorr/report"
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

// ErrNoRecord says that a picture does not say what was drawn.
var ErrNoRecord = errors.New("the picture has no record of its runs")

// ReadRecord returns the tables that a PNG file of SaveNoise was drawn from, with the
// seeds, means and provenance of their cells.
func ReadRecord(png []byte) ([]*report.Table, error) {
	rest := png[min(8, len(png)):]
	for len(rest) >= 12 {
		n := int(binary.BigEndian.Uint32(rest))
		if n < 0 || n > len(rest)-12 {
			break
		}
		data := rest[8 : 8+n]
		if text, ok := bytes.CutPrefix(data, append([]byte(recordKey), 0, 0, 0, 0, 0)); ok && string(rest[4:8]) == "iTXt" {
			return report.ReadCSV(bytes.NewReader(text))
		}
		rest = rest[12+n:]
	}
	return nil, ErrNoRecord
}
