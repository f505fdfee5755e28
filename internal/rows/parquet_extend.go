package rows

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/losscorr/losscorr/internal/files"
)

// NewColumn is a column that Extend adds to a Parquet file.
type NewColumn struct {
	Name    string
	Kind    string   // type of the values: int64, float64 or string
	Values  []any    // of that kind; nil is null
	Classes []string // if set, the column has class labels, as int64
}

// arrowSchema is the key of a copy of the schema in Arrow's form, which would lack the new columns. Without it, readers
// use the schema of Parquet itself.
const arrowSchema = "ARROW:schema"

// Extend writes a copy of a Parquet file with more columns. It copies the bytes of the file up to its footer, so that
// the old columns stay as they were, and adds the new columns and a new footer. If Hugging Face's datasets has
// described the columns, the new ones are described as well.
func Extend(path, out string, columns []NewColumn) (err error) {
	defer recoverDamage(&err)
	old, closer, err := openParquet(path)
	if err != nil {
		return err
	}
	defer closer.Close()
	footer, data, err := footerOf(old)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range columns {
		if slices.ContainsFunc(footer.Schema, func(e format.SchemaElement) bool { return e.Name == c.Name }) {
			return fmt.Errorf("%s has a column %q already: audit a file without it", path, c.Name)
		}
		if int64(len(c.Values)) != footer.NumRows {
			return fmt.Errorf("%s: %d values of %s for %d rows", path, len(c.Values), c.Name, footer.NumRows)
		}
	}
	footer.RowGroups = slices.DeleteFunc(footer.RowGroups, func(g format.RowGroup) bool { return g.NumRows == 0 })
	added, err := encode(columns, footer.RowGroups)
	if err != nil {
		return err
	}
	file, err := metadata(bytes.NewReader(added), int64(len(added)))
	if err != nil {
		return err
	}
	small, end, err := footerOf(file)
	if err != nil {
		return err
	}
	start := int64(len(magic))
	splice(footer, small, columns, data-start)
	if err := describe(footer, columns); err != nil {
		return err
	}
	text, err := thrift.Marshal(new(thrift.CompactProtocol), footer)
	if err != nil {
		return err
	}
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	return files.WriteParts(out, 0o666, io.NewSectionReader(old, 0, data),
		bytes.NewReader(slices.Concat(added[start:end], text, length, []byte(magic))))
}

const magic = "PAR1"

// footerOf returns the footer and its place in the file.
func footerOf(file *parquet.File) (*format.FileMetaData, int64, error) {
	length := make([]byte, 4)
	_, err := file.ReadAt(length, file.Size()-8)
	return file.Metadata(), file.Size() - 8 - int64(binary.LittleEndian.Uint32(length)), err
}

// encode returns a Parquet file of only the new columns, in the groups of the old ones.
func encode(columns []NewColumn, groups []format.RowGroup) ([]byte, error) {
	fields := parquet.Group{}
	for _, c := range columns {
		leaf := parquet.Leaf(parquet.Int64Type)
		switch c.Kind {
		case "float64":
			leaf = parquet.Leaf(parquet.DoubleType)
		case "string":
			leaf = parquet.String()
		}
		fields[c.Name] = parquet.Optional(leaf)
	}
	schema := parquet.NewSchema("schema", fields)
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema, parquet.Compression(&parquet.Snappy))
	row := 0
	for _, g := range groups {
		for range g.NumRows {
			values := make(parquet.Row, len(columns))
			for _, c := range columns {
				leaf, _ := schema.Lookup(c.Name)
				v := parquet.ValueOf(c.Values[row])
				level := 1
				if v.IsNull() {
					level = 0
				}
				values[leaf.ColumnIndex] = v.Level(0, level, leaf.ColumnIndex)
			}
			if _, err := w.WriteRows([]parquet.Row{values}); err != nil {
				return nil, err
			}
			row++
		}
		if err := w.Flush(); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// splice adds the columns of a small file to the footer of another file. later is how many bytes later the other file
// has the small file's data.
func splice(footer, small *format.FileMetaData, columns []NewColumn, later int64) {
	ordered := len(footer.ColumnOrders) > 0
	for _, c := range columns {
		at := slices.IndexFunc(small.Schema, func(e format.SchemaElement) bool { return e.Name == c.Name })
		footer.Schema = append(footer.Schema, small.Schema[at])
		footer.Schema[0].NumChildren.V++
		if ordered && len(small.ColumnOrders) > at-1 {
			footer.ColumnOrders = append(footer.ColumnOrders, small.ColumnOrders[at-1])
		}
		for k := range small.RowGroups {
			chunk, group := small.RowGroups[k].Columns[at-1], &footer.RowGroups[k]
			meta := &chunk.MetaData
			for _, offset := range []*int64{&chunk.FileOffset, &meta.DataPageOffset, &meta.DictionaryPageOffset,
				&meta.IndexPageOffset} {
				if *offset > 0 {
					*offset += later
				}
			}
			// The index of pages has its own offsets and is left out.
			chunk.OffsetIndexOffset, chunk.OffsetIndexLength, chunk.ColumnIndexOffset, chunk.ColumnIndexLength = 0, 0, 0, 0
			meta.BloomFilterOffset, meta.BloomFilterLength = 0, 0
			group.Columns = append(group.Columns, chunk)
			group.TotalByteSize += meta.TotalUncompressedSize
			if group.TotalCompressedSize > 0 {
				group.TotalCompressedSize += meta.TotalCompressedSize
			}
		}
	}
}

// describe adds the columns to those that Hugging Face's datasets describes.
func describe(footer *format.FileMetaData, columns []NewColumn) error {
	footer.KeyValueMetadata = slices.DeleteFunc(footer.KeyValueMetadata, func(kv format.KeyValue) bool {
		return kv.Key == arrowSchema
	})
	for k := range footer.KeyValueMetadata {
		kv := &footer.KeyValueMetadata[k]
		if kv.Key != huggingFace || !gjson.Get(kv.Value, "info.features").IsObject() {
			continue
		}
		for _, c := range columns {
			var feature any = map[string]any{"_type": "ClassLabel", "names": c.Classes}
			if c.Classes == nil {
				feature = map[string]any{"_type": "Value", "dtype": c.Kind}
			}
			var err error
			if kv.Value, err = sjson.Set(kv.Value, "info.features."+c.Name, feature); err != nil {
				return err
			}
		}
	}
	return nil
}
