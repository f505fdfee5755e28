package rows

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/losscorr/losscorr/internal/expect"
)

// inDictionary is a Parquet file with one column of texts, in a dictionary.
func inDictionary(t *testing.T, texts ...string) []byte {
	t.Helper()
	type example struct {
		Text string `parquet:"text,dict"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[example](&out, parquet.Compression(&parquet.Zstd))
	for _, text := range texts {
		expect.OK(t, expect.Err(w.Write([]example{{text}})))
	}
	expect.OK(t, w.Close())
	return out.Bytes()
}

// rewritten changes the header of the first page, which follows the magic number, and the rows
// that the footer counts.
func rewritten(t *testing.T, content []byte, change func(*format.PageHeader, *format.FileMetaData)) []byte {
	t.Helper()
	protocol := new(thrift.CompactProtocol)
	r := bytes.NewReader(content[4:])
	var h format.PageHeader
	expect.OK(t, thrift.NewDecoder(protocol.NewReader(r)).Decode(&h))
	page := len(content) - r.Len()
	size := int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	footer := len(content) - 8 - size
	var meta format.FileMetaData
	expect.OK(t, thrift.Unmarshal(protocol, content[footer:footer+size], &meta))
	change(&h, &meta)
	first := expect.Got(thrift.Marshal(protocol, &h))(t)
	longer := int64(len(first) - page + 4)
	column := &meta.RowGroups[0].Columns[0].MetaData
	column.DataPageOffset += longer
	column.TotalCompressedSize += longer
	last := expect.Got(thrift.Marshal(protocol, &meta))(t)
	out := append([]byte("PAR1"), first...)
	out = append(append(out, content[page:footer]...), last...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(last))), "PAR1"...)
}

// A small file takes little memory, whatever the headers of its pages say.
func TestParquetBombs(t *testing.T) {
	long := make([]string, 65)
	for k := range long {
		long[k] = strings.Repeat(string(rune('0'+k)), maxPage/64)
	}
	small := inDictionary(t, "a", "b", "a")
	for _, tt := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"long texts", inDictionary(t, long...), "a.parquet: a page of 68157700 bytes, packed into"},
		{"dictionary", rewritten(t, small, func(h *format.PageHeader, _ *format.FileMetaData) {
			h.DictionaryPageHeader.V.NumValues = 1<<31 - 1
		}),
			"a.parquet: a dictionary of 2147483647 values in 10 bytes: it is damaged"},
		{"rows", rewritten(t, small, func(_ *format.PageHeader, m *format.FileMetaData) {
			m.NumRows, m.RowGroups[0].NumRows = 1<<40, 1<<40
		}),
			"a.parquet: 1099511627776 rows in"},
		{"nothing changed", rewritten(t, small, func(*format.PageHeader, *format.FileMetaData) {}), io.EOF.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := OpenBytes("a.parquet", tt.content)
			for err == nil {
				_, err = r.Read()
			}
			runtime.ReadMemStats(&after)
			expect.Says(t, err, tt.want)
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 16 {
				t.Errorf("%d MiB allocated", mib)
			}
		})
	}
}
