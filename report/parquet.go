package report

import (
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet writes the sheet as a Parquet file: strings, booleans, 64-bit
// integers and doubles, each of which may be null, compressed with zstd.
func (s *Sheet) WriteParquet(w io.Writer) error {
	// A struct keeps the order of the columns, which a parquet.Group does not.
	fields := make([]reflect.StructField, len(s.Columns))
	for k, c := range s.Columns {
		fields[k] = reflect.StructField{
			Name: fmt.Sprintf("C%d", k), Type: reflect.PointerTo(basicTypes[c.Kind]),
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional"`, c.Name)),
		}
	}
	row := reflect.New(reflect.StructOf(fields))
	out := parquet.NewWriter(w, parquet.SchemaOf(row.Interface()), parquet.Compression(&parquet.Zstd))
	for _, entries := range s.Rows {
		row.Elem().SetZero()
		for k, v := range entries {
			if v != nil {
				p := reflect.New(basicTypes[s.Columns[k].Kind])
				p.Elem().Set(reflect.ValueOf(v))
				row.Elem().Field(k).Set(p)
			}
		}
		if err := out.Write(row.Interface()); err != nil {
			return fmt.Errorf("report: write parquet: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("report: write parquet: %w", err)
	}
	return nil
}

var basicTypes = map[reflect.Kind]reflect.Type{
	reflect.String: reflect.TypeFor[string](), reflect.Bool: reflect.TypeFor[bool](), reflect.Int64: reflect.TypeFor[int64](),
	reflect.Uint64: reflect.TypeFor[uint64](), reflect.Float64: reflect.TypeFor[float64](),
}
