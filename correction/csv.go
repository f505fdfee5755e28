package correction

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/files"
)

// WriteCSV writes the matrix to a file, atomically:
//
//	true,cat,dog
//	cat,0.7,0.3
//	dog,0,1
//
// The header names the given labels, the first column the true classes.
// Numbers have as many digits as needed to read them back exactly.
func (m *Matrix) WriteCSV(path string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	// Writing to a buffer cannot fail.
	_ = w.Write(append([]string{"true"}, m.classes...))
	for i, row := range m.Rows() {
		record := []string{m.classes[i]}
		for _, v := range row {
			record = append(record, strconv.FormatFloat(v, 'g', -1, 64))
		}
		_ = w.Write(record)
	}
	w.Flush()
	if err := files.Write(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("correction: write transition matrix: %w", err)
	}
	return nil
}

// ReadMatrixCSV reads a transition matrix from a file in the format of WriteCSV.
// The cell in the corner may hold anything. Errors name the file and the line.
func ReadMatrixCSV(path string) (*Matrix, error) {
	m, err := readMatrixCSV(path)
	if err != nil {
		return nil, fmt.Errorf("correction: read transition matrix: %w", err)
	}
	return m, nil
}

func readMatrixCSV(path string) (*Matrix, error) {
	data, err := files.Read(path, mostMatrix)
	if err != nil {
		return nil, err
	}
	if err := otherFormat(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true

	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty file, want a header of class names", path)
	}
	if err != nil {
		return nil, csvError(path, err)
	}
	header[0] = trimBOM(header[0])
	trimSpaces(header)
	classes := header[1:]
	if areNumbers(header) {
		return nil, fmt.Errorf("%s:1: header: numbers where class names are expected: "+
			"put the names of the classes on the first line, after an empty cell", path)
	}
	if err := CheckClasses(classes); err != nil {
		return nil, fmt.Errorf("%s:1: header: %w", path, err)
	}

	rows, lines, err := readRows(path, r, classes)
	if err != nil {
		return nil, err
	}
	if i, err := checkRows(classes, rows); err != nil {
		if i >= 0 {
			return nil, fmt.Errorf("%s:%d: %w", path, lines[i], err)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return newMatrix(classes, rows), nil
}

// readRows reads the rows of a matrix, each with its line in the file.
func readRows(path string, r *csv.Reader, classes []string) (rows [][]float64, lines []int, err error) {
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, lines, nil
		}
		if err != nil {
			return nil, nil, csvError(path, err)
		}
		trimSpaces(record)
		line, _ := r.FieldPos(0)
		if len(rows) == len(classes) {
			return nil, nil, fmt.Errorf("%s:%d: more rows than the %d classes of the header", path, line, len(classes))
		}
		if want := classes[len(rows)]; record[0] != want {
			return nil, nil, fmt.Errorf("%s:%d: row of class %q where the header's order wants %q", path, line, record[0], want)
		}
		row, err := parseRow(r, record[1:])
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%w", path, err)
		}
		rows = append(rows, row)
		lines = append(lines, line)
	}
}

// mostMatrix is the size of the largest file of a matrix in bytes.
const mostMatrix = 1 << 28

// otherFormat says in what a table differs from what is read: its encoding, its line ends
// or what separates its columns.
func otherFormat(data []byte) error {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")),
		bytes.IndexByte(head, 0) >= 0:
		return errors.New("it is UTF-16 text: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)")
	case !utf8.Valid(data):
		return errors.New("it is not UTF-8 text: convert it (iconv -f ITS-ENCODING -t UTF-8)")
	case bytes.IndexByte(bytes.TrimSuffix(head, []byte("\r")), '\r') >= 0:
		return errors.New("its lines end in a carriage return alone, as on old Macs: convert it (tr '\\r' '\\n')")
	case bytes.IndexByte(head, ',') >= 0:
		return nil
	}
	for _, s := range []struct{ mark, name string }{{";", "semicolons"}, {"\t", "tabs"}, {"|", "bars"}} {
		if bytes.Contains(head, []byte(s.mark)) {
			return fmt.Errorf("its columns are separated by %s: separate them by commas", s.name)
		}
	}
	return nil
}

// trimSpaces removes the spaces around the cells.
func trimSpaces(cells []string) {
	for k, cell := range cells {
		cells[k] = strings.TrimSpace(cell)
	}
}

// areNumbers reports whether a header is in fact the first row of a matrix without
// a header. Digits are valid names; 0.8 is not, and neither is a digit twice.
func areNumbers(names []string) bool {
	digits := map[string]bool{}
	for _, s := range names {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return false
		}
		if _, err := strconv.Atoi(s); err == nil {
			digits[s] = true
		}
	}
	return len(digits) < len(names)
}

func parseRow(r *csv.Reader, fields []string) ([]float64, error) {
	row := make([]float64, len(fields))
	for j, s := range fields {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			line, column := r.FieldPos(j + 1)
			return nil, fmt.Errorf("%d:%d: %q is not a number", line, column, s)
		}
		row[j] = v
	}
	return row, nil
}

// trimBOM removes the byte order mark that spreadsheets write before UTF-8.
func trimBOM(s string) string {
	return string(bytes.TrimPrefix([]byte(s), []byte("\ufeff")))
}

// csvError adds the file to the line and column of a csv.ParseError.
func csvError(path string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d:%d: %w", path, p.Line, p.Column, p.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}
