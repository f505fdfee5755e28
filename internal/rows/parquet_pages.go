package rows

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library allocates memory by the header of a page before it reads the page. A page may have this many bytes and
// values, or maxPacked times its bytes in the file.
const (
	maxPage   = 64 << 20
	maxValues = 1 << 24
	maxPacked = 256
)

// checkPages reads the headers of a column's pages in a group of rows. It is an error if one claims more than is
// plausible. Damaged headers are left to the library.
func (p *parquetTable) checkPages(group, column int) error {
	meta := p.file.Metadata().RowGroups[group].Columns[column].MetaData
	at := meta.DataPageOffset
	if meta.DictionaryPageOffset > 0 {
		at = min(at, meta.DictionaryPageOffset)
	}
	end := at + meta.TotalCompressedSize
	for at < end {
		section := io.NewSectionReader(p.file, at, end-at)
		text := bufio.NewReader(section)
		var h format.PageHeader
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(text)).Decode(&h); err != nil ||
			h.CompressedPageSize < 0 {
			return nil //nolint:nilerr // see above
		}
		plausible := func(n int32, most int64) bool {
			return int64(n) <= max(most, maxPacked*int64(h.CompressedPageSize))
		}
		switch values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues); {
		case !plausible(h.UncompressedPageSize, maxPage):
			return fmt.Errorf("a page of %d bytes, packed into %d: it is damaged, or made to take memory",
				h.UncompressedPageSize, h.CompressedPageSize)
		case !plausible(values, maxValues):
			return fmt.Errorf("a page of %d values, packed into %d bytes: it is damaged, or made to take memory", values,
				h.CompressedPageSize)
		case h.DictionaryPageHeader.V.NumValues > h.UncompressedPageSize/4: // a value has four bytes or more
			return fmt.Errorf("a dictionary of %d values in %d bytes: it is damaged", h.DictionaryPageHeader.V.NumValues,
				h.UncompressedPageSize)
		}
		read, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		at += read - int64(text.Buffered())
		if left := p.file.Size() - at; int64(h.CompressedPageSize) > left {
			return fmt.Errorf("a page of %d bytes where %d are left: the file is damaged", h.CompressedPageSize, left)
		}
		at += int64(h.CompressedPageSize)
	}
	return nil
}
