package rows

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/losscorr/losscorr/internal/files"
)

// parquetTable is a table of Parquet.
type parquetTable struct {
	file    *parquet.File
	checked map[[2]int]bool // groups and columns whose pages have been checked
	columns []*parquet.Column
	others  []string            // columns that cannot be read
	classes map[string][]string // of columns of class labels

	cursors []cursor // of the chosen columns
	groups  []parquet.RowGroup
	row     int64 // the last row
	left    int64 // rows in the group
}

// newParquet opens a table. With fields, the fields of records are columns too, such as image.bytes.
func newParquet(r io.ReaderAt, size int64, fields bool) (_ table, names []string, err error) {
	defer recoverDamage(&err)
	file, err := metadata(r, size)
	if err != nil {
		return nil, nil, err
	}
	p := tableOf(file)
	add := func(c *parquet.Column, name string) bool {
		ok := c.Leaf() && !c.Repeated() && readable(c.Type())
		if ok {
			p.columns, names = append(p.columns, c), append(names, name)
		}
		return ok
	}
	for _, c := range file.Root().Columns() {
		if add(c, c.Name()) {
			continue
		}
		p.others = append(p.others, c.Name())
		if fields && !c.Repeated() {
			for _, field := range c.Columns() {
				add(field, c.Name()+"."+field.Name())
			}
		}
	}
	if len(names) == 0 {
		return nil, nil, errors.New("it has no column of single values")
	}
	return p, names, nil
}

// openParquet opens a Parquet file.
func openParquet(path string) (opened *parquet.File, closer io.Closer, err error) {
	if !strings.EqualFold(filepath.Ext(path), ".parquet") {
		return nil, nil, fmt.Errorf("%s is not a table of Parquet by its name", path)
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		opened, err = metadata(file, size)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return opened, file, nil
}

// metadata opens a Parquet file, and checks that its number of rows is plausible for its size.
func metadata(r io.ReaderAt, size int64) (opened *parquet.File, err error) {
	defer recoverDamage(&err)
	opened, err = parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		start, end := make([]byte, len(magic)), make([]byte, len(magic))
		_, _ = r.ReadAt(start, 0)
		if _, _ = r.ReadAt(end, size-int64(len(magic))); string(start) == magic && string(end) != magic {
			return nil, fmt.Errorf("the file is cut off: it does not end with %s as Parquet does", magic)
		}
		return nil, fmt.Errorf("it is not Parquet, or damaged: %w", err)
	}
	if n := opened.NumRows(); n > maxValues && n/maxPacked > size {
		return nil, fmt.Errorf("%d rows in %d bytes: it is damaged, or made to take memory", n, size)
	}
	return opened, nil
}

// tableOf returns a table without chosen columns.
func tableOf(file *parquet.File) *parquetTable {
	return &parquetTable{file: file, checked: map[[2]int]bool{}, groups: file.RowGroups(), row: -1,
		classes: featuresOf(file).Classes}
}

// readable reports whether values can be written as plain text. Decimals would need their scale, Int96 is an old form
// of times, and values of fixed length may be UUIDs, float16 or bytes, which the library does not distinguish.
func readable(t parquet.Type) bool {
	_, decimal := logical(t).(*format.DecimalType)
	return !decimal && t.Kind() != parquet.Int96 && t.Kind() != parquet.FixedLenByteArray
}

// logical returns a logical type, or nil.
func logical(t parquet.Type) format.LogicalTypeValue {
	if l := t.LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

// recoverDamage turns the library's panic over a damaged file into an error.
func recoverDamage(err *error) {
	if problem := recover(); problem != nil {
		*err = fmt.Errorf("the file is damaged: %v", problem)
	}
}

func (p *parquetTable) choose(columns []int) {
	p.cursors = nil
	for _, c := range columns {
		p.addCursor(p.columns[c])
	}
}

func (p *parquetTable) addCursor(c *parquet.Column) {
	p.cursors = append(p.cursors, cursor{column: c.Index(), text: p.text(c)})
}

func (p *parquetTable) where() string { return fmt.Sprintf(": row %d", p.row) }

func (p *parquetTable) read(row []string) (err error) {
	defer recoverDamage(&err)
	if err := p.nextGroup(); err != nil {
		return err
	}
	p.left--
	p.row++
	for k := range p.cursors {
		if row[k], err = p.cursors[k].next(); err != nil {
			return &placeError{p.where(), fmt.Errorf("the file is damaged: %w", err)}
		}
	}
	return nil
}

// seek makes a row the next one.
func (p *parquetTable) seek(row int64) (err error) {
	defer recoverDamage(&err)
	skipped := row
	for p.groups = p.file.RowGroups(); len(p.groups) > 0 && skipped >= p.groups[0].NumRows(); p.groups = p.groups[1:] {
		skipped -= p.groups[0].NumRows()
	}
	if len(p.groups) == 0 {
		return fmt.Errorf("row %d: there are %d rows", row, p.file.NumRows())
	}
	p.left = 0
	if err := p.nextGroup(); err != nil {
		return err
	}
	p.row, p.left = row-1, p.left-skipped
	for k := range p.cursors {
		if err := p.cursors[k].pages.SeekToRow(skipped); err != nil {
			return err
		}
	}
	return nil
}

// nextGroup begins the next group with rows if the last one is used up.
func (p *parquetTable) nextGroup() error {
	for p.left <= 0 {
		if len(p.groups) == 0 {
			return io.EOF
		}
		p.left = p.groups[0].NumRows()
		chunks := p.groups[0].ColumnChunks()
		group := len(p.file.RowGroups()) - len(p.groups)
		p.groups = p.groups[1:]
		for k := range p.cursors {
			at := [2]int{group, p.cursors[k].column}
			if !p.checked[at] {
				if err := p.checkPages(at[0], at[1]); err != nil {
					return err
				}
				p.checked[at] = true
			}
			p.cursors[k].begin(chunks[p.cursors[k].column])
		}
	}
	return nil
}

// cursor walks over the values of a column.
type cursor struct {
	column int
	text   func(parquet.Value) string

	pages  parquet.Pages
	values parquet.ValueReader // of the page
	buffer [256]parquet.Value
	ready  []parquet.Value // part of buffer
}

func (c *cursor) begin(chunk parquet.ColumnChunk) {
	if c.pages != nil {
		_ = c.pages.Close()
	}
	c.pages, c.values, c.ready = chunk.Pages(), nil, nil
}

// fill reads until a value is ready. It returns io.EOF at the end of the chunk.
func (c *cursor) fill() error {
	for len(c.ready) == 0 {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return err
			}
			c.values = page.Values()
		}
		n, err := c.values.ReadValues(c.buffer[:])
		c.ready = c.buffer[:n]
		if err == io.EOF || err == nil && n == 0 {
			c.values = nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// next returns the value in the next row, "" for null.
func (c *cursor) next() (string, error) {
	err := c.fill()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", err
	}
	v := c.ready[0]
	c.ready = c.ready[1:]
	if v.IsNull() {
		return "", nil
	}
	return c.text(v), nil
}

// text returns a function that writes a column's values as text. A class label without a name is "", since datasets
// writes -1, and other programs other numbers, for a missing label.
func (p *parquetTable) text(c *parquet.Column) func(parquet.Value) string {
	convert := conversion(c.Type())
	names, classes := p.classes[c.Name()]
	if !classes || len(c.Path()) != 1 {
		return convert
	}
	return func(v parquet.Value) string {
		text := convert(v)
		if n, err := strconv.Atoi(text); err == nil && (n < 0 || n >= len(names)) {
			return ""
		}
		return text
	}
}

// conversion returns a function that writes values of a type as text.
func conversion(t parquet.Type) func(parquet.Value) string {
	integer, ok := logical(t).(*format.IntType)
	unsigned := ok && !integer.IsSigned
	return func(v parquet.Value) string {
		switch kind := v.Kind(); {
		case unsigned && kind == parquet.Int32:
			return strconv.FormatUint(uint64(v.Uint32()), 10)
		case unsigned && kind == parquet.Int64:
			return strconv.FormatUint(v.Uint64(), 10)
		case kind == parquet.Float:
			return floatText(float64(v.Float()), 32)
		case kind == parquet.Double:
			return floatText(v.Double(), 64)
		}
		return v.String()
	}
}

// floatText writes whole numbers, which may be names or classes, without an exponent.
func floatText(v float64, bits int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatFloat(v, 'f', -1, bits)
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}
