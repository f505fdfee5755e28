package rows

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// inDictionary is a Parquet file with one column of texts, in a dictionary.
func inDictionary(t *testing.T, texts ...string) []byte { return packedBy(t, &parquet.Zstd, texts...) }

// packedBy is inDictionary with a codec.
func packedBy(t *testing.T, codec compress.Codec, texts ...string) []byte {
	t.Helper()
	type example struct {
		Text string `parquet:"text,dict"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[example](&out, parquet.Compression(codec))
	for _, text := range texts {
		if _, err := w.Write([]example{{text}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rewritten changes the header of the first page, which follows the magic number, and the rows
// that the footer counts.
func rewritten(t *testing.T, content []byte, change func(*format.PageHeader, *format.FileMetaData)) []byte {
	t.Helper()
	protocol := new(thrift.CompactProtocol)
	r := bytes.NewReader(content[4:])
	var h format.PageHeader
	if err := thrift.NewDecoder(protocol.NewReader(r)).Decode(&h); err != nil {
		t.Fatal(err)
	}
	page := len(content) - r.Len()
	size := int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	footer := len(content) - 8 - size
	var meta format.FileMetaData
	if err := thrift.Unmarshal(protocol, content[footer:footer+size], &meta); err != nil {
		t.Fatal(err)
	}
	change(&h, &meta)
	first, err := thrift.Marshal(protocol, &h)
	if err != nil {
		t.Fatal(err)
	}
	longer := int64(len(first) - page + 4)
	column := &meta.RowGroups[0].Columns[0].MetaData
	column.DataPageOffset += longer
	column.TotalCompressedSize += longer
	last, err := thrift.Marshal(protocol, &meta)
	if err != nil {
		t.Fatal(err)
	}
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
		{"dictionary", rewritten(t, small, func(h *format.PageHeader, _ *format.FileMetaData) { h.DictionaryPageHeader.V.NumValues = 1<<31 - 1 }),
			"a.parquet: a dictionary of 2147483647 values in 10 bytes: it is damaged"},
		{"rows", rewritten(t, small, func(_ *format.PageHeader, m *format.FileMetaData) { m.NumRows, m.RowGroups[0].NumRows = 1<<40, 1<<40 }),
			"a.parquet: 1099511627776 rows in"},
		{"nothing changed", rewritten(t, small, func(*format.PageHeader, *format.FileMetaData) {}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := OpenBytes("a.parquet", tt.content)
			for err == nil {
				_, err = r.Read()
			}
			runtime.ReadMemStats(&after)
			if tt.want == "" && err != io.EOF || tt.want != "" && !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 16 {
				t.Errorf("%d MiB allocated", mib)
			}
		})
	}
}

// A page that unpacks to more than its header says takes no more memory than that, whatever packs it.
func TestParquetPagesThatUnpackToMore(t *testing.T) {
	long := make([]string, 32)
	for k := range long {
		long[k] = strings.Repeat(string(rune('0'+k)), 1<<20)
	}
	for _, codec := range []compress.Codec{&parquet.Zstd, &parquet.Gzip, &parquet.Snappy, &parquet.Brotli, &parquet.Lz4Raw} {
		t.Run(codec.String(), func(t *testing.T) {
			content := rewritten(t, packedBy(t, codec, long...), func(h *format.PageHeader, _ *format.FileMetaData) { h.UncompressedPageSize = 1000 })
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := OpenBytes("a.parquet", content)
			for err == nil {
				_, err = r.Read()
			}
			runtime.ReadMemStats(&after)
			if want := "a.parquet: a page unpacks to more than the 1000 bytes that its header says"; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 16 {
				t.Errorf("%d MiB allocated", mib)
			}
			for _, texts := range [][]string{{"a", "b", "a"}, {"", ""}} {
				r, err := OpenBytes("a.parquet", packedBy(t, codec, texts...))
				if err != nil {
					t.Fatal(err)
				}
				for _, want := range texts {
					if row, err := r.Read(); err != nil || row[0] != want {
						t.Errorf("%q, %v, want %q", row, err, want)
					}
				}
			}
		})
	}
}

// A text that ends beyond its page would be of other bytes in memory.
func TestParquetLengthsBeyondThePage(t *testing.T) {
	type example struct {
		Text string `parquet:"text,plain"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[example](&out)
	if _, err := w.Write([]example{{"a"}, {"b"}, {"a"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	content := bytes.Replace(out.Bytes(), []byte("\x01\x00\x00\x00b"), []byte("\x09\x00\x00\x00b"), 1)
	r, err := OpenBytes("a.parquet", content)
	for err == nil {
		_, err = r.Read()
	}
	if want := "a.parquet: a value that ends beyond its page of 15 bytes"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// Lengths as differences and as runs take memory by their counts, of which a page has one itself.
func TestParquetCountsBeyondThePage(t *testing.T) {
	text := bytes.Repeat([]byte("a"), 100_000)
	var all []byte
	offsets := []uint32{0}
	for range 1000 {
		all = append(all, text...)
		offsets = append(offsets, uint32(len(all)))
	}
	texts, err := new(delta.ByteArrayEncoding).EncodeByteArray(nil, all, offsets)
	if err != nil {
		t.Fatal(err)
	}
	few, err := new(delta.ByteArrayEncoding).EncodeByteArray(nil, all[:300_000], offsets[:4])
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		encoding format.Encoding
		values   int32
		page     []byte
		want     string
	}{
		{"repeated texts", format.DeltaByteArray, 1000, texts, "a page of texts of"},
		{"three of them", format.DeltaByteArray, 3, few, ""},
		{"numbers", format.DeltaBinaryPacked, 3, []byte{0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 7, 0}, "2147483647 values in a page of 3"},
		{"second lengths", format.DeltaByteArray, 1, []byte{0x80, 1, 4, 1, 0, 0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 7, 0}, "2147483647 values in a page of 1"},
		{"runs", format.RLEDictionary, 3, []byte{1, 0xfe, 0xff, 0xff, 0xff, 0xf, 1}, "runs of 2147483647 values in a page of 3"},
		{"a run", format.RLEDictionary, 3, []byte{1, 6, 1}, ""},
		{"cut", format.DeltaLengthByteArray, 300, []byte{0x80, 1, 4, 0xac, 2, 0}, "the values of a page end too early"},
	} {
		p := pageCheck{codec: format.Uncompressed, kind: parquet.ByteArray}
		p.Type, p.CompressedPageSize, p.UncompressedPageSize = format.DataPage, 1000, int32(len(tt.page))
		p.DataPageHeader.V.NumValues, p.DataPageHeader.V.Encoding = tt.values, tt.encoding
		err := p.check(tt.page)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
