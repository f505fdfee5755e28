package rows

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// pageCheck reads a page before the library does, which takes as much memory as it says, and for a value
// the bytes behind its end.
type pageCheck struct {
	format.PageHeader
	codec    format.CompressionCodec
	kind     parquet.Kind
	optional bool // a data page of the first version begins with the definition levels
}

// check returns an error for a page that unpacks to more than its header says, and for values that
// are not within it.
func (p *pageCheck) check(page []byte) error {
	limit := int(p.UncompressedPageSize)
	packed := p.codec != format.Uncompressed
	if p.Type == format.DataPageV2 {
		v2 := p.DataPageHeaderV2.V
		levels := int(v2.RepetitionLevelsByteLength) + int(v2.DefinitionLevelsByteLength)
		if v2.RepetitionLevelsByteLength < 0 || v2.DefinitionLevelsByteLength < 0 || levels > len(page) || levels > limit {
			return fmt.Errorf("levels of %d bytes in a page of %d: it is damaged", levels, len(page))
		}
		if err := checkRuns(page[:levels], 1, v2.NumValues); err != nil {
			return err
		}
		page, limit = page[levels:], limit-levels
		packed = packed && (!v2.IsCompressed.Valid || v2.IsCompressed.V)
	}
	if packed && len(page) > 0 {
		var err error
		if page, err = unpack(p.codec, page, limit); err != nil {
			return err
		}
	}
	return p.checkValues(page)
}

// unpack unpacks a page to at most limit bytes.
func unpack(codec format.CompressionCodec, page []byte, limit int) (out []byte, err error) {
	tooMuch := fmt.Errorf("a page unpacks to more than the %d bytes that its header says: it is damaged, or made to take memory", limit)
	var r io.Reader = bytes.NewReader(page)
	switch codec {
	case format.Snappy:
		size, n := binary.Uvarint(page)
		if n <= 0 || size > uint64(limit) {
			return nil, tooMuch
		}
		return parquet.Snappy.Decode(make([]byte, size), page)
	case format.Lz4Raw:
		out = make([]byte, limit)
		n, err := lz4.UncompressBlock(page, out)
		if err != nil { // the package says the same of damaged blocks
			return nil, tooMuch
		}
		return out[:n], nil
	case format.Gzip:
		r, err = gzip.NewReader(r)
	case format.Brotli:
		r = brotli.NewReader(r)
	case format.Zstd:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxPage)); err == nil {
			defer d.Close()
			r = d
		}
	default:
		return nil, fmt.Errorf("pages packed by %v are not supported: write the file with zstd or snappy", codec)
	}
	if err != nil {
		return nil, fmt.Errorf("a page is damaged: %w", err)
	}
	if out, err = io.ReadAll(io.LimitReader(r, int64(limit)+1)); err != nil {
		return nil, fmt.Errorf("a page is damaged: %w", err)
	}
	if len(out) > limit {
		return nil, tooMuch
	}
	return out, nil
}

// checkValues checks the lengths of the values of an unpacked page.
func (p *pageCheck) checkValues(page []byte) error {
	values, encoding := p.DataPageHeader.V.NumValues, p.DataPageHeader.V.Encoding
	switch p.Type {
	case format.DictionaryPage:
		encoding = format.Plain
	case format.DataPageV2:
		values, encoding = p.DataPageHeaderV2.V.NumValues, p.DataPageHeaderV2.V.Encoding
	case format.DataPage:
		if p.optional {
			if len(page) < 4 || uint64(binary.LittleEndian.Uint32(page)) > uint64(len(page)-4) {
				return fmt.Errorf("levels are beyond the page of %d bytes: it is damaged", len(page))
			}
			levels := page[4:][:binary.LittleEndian.Uint32(page)]
			if err := checkRuns(levels, 1, values); err != nil {
				return err
			}
			page = page[4+len(levels):]
		}
	default:
		return nil
	}
	switch {
	case (encoding == format.RLEDictionary || encoding == format.PlainDictionary) && len(page) > 0: //nolint:staticcheck // old files have it
		return checkRuns(page[1:], int(page[0]), values)
	case encoding == format.Plain && p.kind == parquet.ByteArray:
		return checkLengths(page)
	case encoding == format.DeltaBinaryPacked, encoding == format.DeltaLengthByteArray:
		_, _, err := deltas(page, values)
		return err
	case encoding == format.DeltaByteArray:
		prefixes, rest, err := deltas(page, values)
		if err == nil {
			_, _, err = deltas(rest, values)
		}
		if size := prefixes + int64(len(page)); err == nil && size > max(maxPage, maxPacked*int64(p.CompressedPageSize)) {
			err = fmt.Errorf("a page of texts of %d bytes, packed into %d: it is damaged, or made to take memory", size, p.CompressedPageSize)
		}
		return err
	}
	return nil
}

// checkLengths checks values that stand behind their lengths, of four bytes.
func checkLengths(page []byte) error {
	for rest := page; len(rest) > 0; {
		if len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-4) {
			return fmt.Errorf("a value that ends beyond its page of %d bytes: the file is damaged", len(page))
		}
		rest = rest[4+binary.LittleEndian.Uint32(rest):]
	}
	return nil
}
