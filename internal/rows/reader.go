package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xrash/smetrics"
)

// Reader reads the rows of a table.
type Reader struct {
	Path string

	columns []string
	chosen  []int // places of the selected columns
	table   table
	row     []string
	closer  io.Closer // nil for a table in memory
}

// table is a table in one of the formats.
type table interface {
	// choose is called before the first read.
	choose(columns []int)
	// read sets row to the values of the chosen columns. It returns io.EOF after the last row.
	read(row []string) error
	// where returns the place where the last row begins: ":17" or ": row 17".
	where() string
}

// formats are the readers of tables of text by the ending of their files.
var formats = map[string]func(r *bufio.Reader) (table, []string, error){
	".csv":    func(r *bufio.Reader) (table, []string, error) { return newSeparated(r, ',') },
	".tsv":    func(r *bufio.Reader) (table, []string, error) { return newSeparated(r, '\t') },
	".jsonl":  newJSONLines,
	".ndjson": newJSONLines,

	TasksEnding: newExamples,
}

// ending returns the ending of a file's name that tells its format, and whether .gz follows.
func ending(path string) (format string, packed bool) {
	name, packed := strings.CutSuffix(strings.ToLower(path), ".gz")
	return name[max(strings.LastIndexByte(name, '.'), 0):], packed
}

// Is reports whether a file is a table by the ending of its name, or a folder holds a table in shards.
func Is(path string) bool { return isNamed(path) || len(Shards(path)) > 0 }

func isNamed(path string) bool {
	format, packed := ending(path)
	return formats[format] != nil || format == ".parquet" && !packed
}

// TrimEnding removes the ending of a table from a name. Other names stay.
func TrimEnding(path string) string {
	if !isNamed(path) {
		return path
	}
	format, packed := ending(path)
	path = path[:len(path)-len(format)]
	if packed {
		path = path[:len(path)-len(".gz")]
	}
	return path
}

// Endings lists the endings of tables, for messages.
const Endings = ".csv, .tsv, .jsonl, .ndjson, .json of label tools (each also .gz) or .parquet"

// Open opens a table and reads the names of its columns. All columns are selected.
func Open(path string) (*Reader, error) { return open(path, false) }

// OpenDetails is Open with more details: Label Studio's exports have a row for each person's labels instead of each
// task, and in Parquet the fields of records are columns too, such as image.bytes.
func OpenDetails(path string) (*Reader, error) { return open(path, true) }

func open(path string, details bool) (*Reader, error) {
	if paths := Shards(path); len(paths) > 0 {
		return newShards(path, paths)
	}
	if !isNamed(path) {
		return nil, notTable(path)
	}
	info, err := os.Stat(path) // opening a pipe would wait for its writer
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a table", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a pipe or a device, and tables are read more than once: write it to a file first", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := newReader(path, file, info.Size(), details)
	if err != nil {
		file.Close()
		return nil, err
	}
	r.closer = file
	return r, nil
}

// OpenBytes is Open for the content of a file.
func OpenBytes(path string, content []byte) (*Reader, error) {
	if !isNamed(path) {
		return nil, notTable(path)
	}
	return newReader(path, bytes.NewReader(content), int64(len(content)), false)
}

// Of returns a table of rows in memory, each with a value for every column. The path is for messages.
func Of(path string, columns []string, lines [][]string) *Reader {
	r := &Reader{Path: path, table: &inMemory{lines: lines}, columns: columns}
	r.chooseAll()
	return r
}

// inMemory is a table of rows in memory.
type inMemory struct {
	lines  [][]string
	at     int // number of rows that were read
	chosen []int
}

func (m *inMemory) choose(columns []int) { m.chosen = columns }

func (m *inMemory) read(row []string) error {
	if m.at == len(m.lines) {
		return io.EOF
	}
	for k, c := range m.chosen {
		row[k] = m.lines[m.at][c]
	}
	m.at++
	return nil
}

func (m *inMemory) where() string { return fmt.Sprintf(": row %d", m.at-1) }

func notTable(path string) error {
	return fmt.Errorf("%s is not a table by its name: want %s", path, Endings)
}

func newReader(path string, content interface {
	io.Reader
	io.ReaderAt
}, size int64, details bool) (*Reader, error) {
	if size == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	r := &Reader{Path: path}
	var err error
	format, packed := ending(path)
	if format == ".parquet" {
		r.table, r.columns, err = newParquet(content, size, details)
	} else {
		var text *bufio.Reader
		if text, err = plainText(content, packed); err == nil {
			read := formats[format]
			if format == TasksEnding && details {
				read = newAnnotations
			}
			r.table, r.columns, err = read(text)
		}
	}
	if err != nil {
		return nil, r.wrap(err)
	}
	r.chooseAll()
	return r, nil
}

func (r *Reader) chooseAll() {
	all := make([]int, len(r.columns))
	for k := range all {
		all[k] = k
	}
	r.choose(all)
}

// plainText returns unpacked text without its byte order mark.
func plainText(content io.Reader, packed bool) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(content, 1<<20)
	if packed {
		z, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("not gzip, though its name ends so: %w", err)
		}
		text = bufio.NewReaderSize(z, 1<<20)
	}
	start, err := text.Peek(4)
	switch {
	case len(start) == 0 && err == io.EOF:
		return nil, errors.New("it is empty")
	case len(start) == 0:
		return nil, err
	}
	if bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) {
		_, _ = text.Discard(3)
	}
	if bytes.IndexByte(start, 0) >= 0 || start[0] >= 0xfe { // or its byte order mark
		return nil, errors.New("it is not UTF-8 text, perhaps UTF-16: convert it (iconv -f ITS-ENCODING -t UTF-8)")
	}
	return text, nil
}

// wrap adds the file to an error, and the place to a placeError.
func (r *Reader) wrap(err error) error {
	var at *placeError
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.As(err, &at):
		return fmt.Errorf("%s%s: %w", r.Path, at.where, at.err)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%s: it is truncated or damaged: %w", r.Path, err)
	}
	return fmt.Errorf("%s: %w", r.Path, err)
}

// placeError is an error at a place in the file.
type placeError struct {
	where string
	err   error
}

func (e *placeError) Error() string { return e.where + ": " + e.err.Error() }
func (e *placeError) Unwrap() error { return e.err }

func atLine(line int, format string, args ...any) error {
	return &placeError{fmt.Sprintf(":%d", line), fmt.Errorf(format, args...)}
}

// Columns returns the names of all columns, in the order of the file.
func (r *Reader) Columns() []string { return r.columns }

// Has reports whether there is a column with a name. Column N (from 0) is "Unnamed: N", as in pandas, if it has no
// name.
func (r *Reader) Has(column string) bool { return r.Index(column) >= 0 }

// Index returns the place of a column, or -1.
func (r *Reader) Index(column string) int {
	if k := slices.Index(r.columns, column); k >= 0 {
		return k
	}
	if number, ok := strings.CutPrefix(column, "Unnamed: "); ok {
		if k, err := strconv.Atoi(number); err == nil && k >= 0 && k < len(r.columns) && r.columns[k] == "" {
			return k
		}
	}
	return -1
}

// Select chooses the columns that Read returns, and their order. Call it before Read. It is an error if a name belongs
// to no column or to several. The error names all missing columns.
func (r *Reader) Select(columns ...string) error {
	if missing := slices.DeleteFunc(slices.Clone(columns), r.Has); len(missing) > 0 {
		return r.Missing(missing...)
	}
	chosen := make([]int, len(columns))
	for k, name := range columns {
		chosen[k] = r.Index(name)
		if name == "" {
			return fmt.Errorf("%s: a column without a name is named by its place, from 0, as \"Unnamed: 0\"", r.Path)
		}
		if slices.Contains(r.columns[chosen[k]+1:], name) {
			return fmt.Errorf("%s: the column %q is there more than once: rename one of them", r.Path, name)
		}
	}
	r.choose(chosen)
	return nil
}

func (r *Reader) choose(columns []int) {
	r.chosen = columns
	r.row = make([]string, len(columns))
	r.table.choose(columns)
}

// shownColumns is the most columns that messages list.
const shownColumns = 30

// Missing returns the error for missing columns.
func (r *Reader) Missing(columns ...string) error {
	if p, ok := r.table.(*parquetTable); ok && slices.Contains(p.others, columns[0]) {
		return fmt.Errorf("%s: the column %q holds lists, records, decimals or bytes of fixed length, which are not read",
			r.Path, columns[0])
	}
	lacks := make([]string, len(columns))
	for k, column := range columns {
		lacks[k] = strconv.Quote(column) + r.hint(column)
	}
	shown, more := slices.Clone(r.columns), ""
	for k, name := range shown {
		if name == "" {
			shown[k] = fmt.Sprintf("Unnamed: %d", k)
		}
	}
	if len(shown) > shownColumns {
		shown, more = shown[:shownColumns], fmt.Sprintf(" and %d more", len(shown)-shownColumns)
	}
	return fmt.Errorf("%s has no column %s (columns: %q%s)", r.Path, strings.Join(lacks, "; no column "), shown, more)
}

// hint names the column that may have been meant by the name of a missing one.
func (r *Reader) hint(column string) string {
	best, distance := "", 3 // two slips at most
	for _, known := range r.columns {
		if d := smetrics.WagnerFischer(fold(column), fold(known), 1, 1, 1); d < min(distance, max(len(known), 2)) {
			best, distance = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Read returns the values of the selected columns in the next row. The slice is valid until the next call. The strings
// stay valid, but may share memory with the whole row: keep clones. It returns io.EOF after the last row.
func (r *Reader) Read() ([]string, error) {
	if err := r.table.read(r.row); err != nil {
		return nil, r.wrap(err)
	}
	for k, value := range r.row {
		if !utf8.ValidString(value) {
			return nil, fmt.Errorf("%s: column %q is not UTF-8 text: convert the file (iconv -f ITS-ENCODING -t UTF-8)",
				r.Where(), r.columns[r.chosen[k]])
		}
	}
	return r.row, nil
}

// Each calls Read for all remaining rows, and visit with each of them.
func (r *Reader) Each(visit func(row []string) error) error { return each(r.Read, visit) }

// EachBytes is Each for values that need not be UTF-8.
func (r *Reader) EachBytes(visit func(row []string) error) error {
	return each(func() ([]string, error) { return r.row, r.wrap(r.table.read(r.row)) }, visit)
}

func each(read func() ([]string, error), visit func(row []string) error) error {
	for {
		row, err := read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = visit(row)
		}
		if err != nil {
			return err
		}
	}
}

// Where returns the file and the place of the last row, such as reviews.csv:17. Lines count from 1 and include the line
// of the columns' names. Rows of Parquet count from 0.
func (r *Reader) Where() string { return r.Path + r.table.where() }

// Place is Where without the name of the file: "line 17" or "row 17".
func (r *Reader) Place() string {
	if line, ok := strings.CutPrefix(r.table.where(), ":"); ok && line[0] != ' ' {
		return "line " + line
	}
	return strings.TrimPrefix(r.table.where(), ": ")
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}
