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
	"github.com/losscorr/losscorr/internal/guard"
)

// WriteCSV atomically writes the matrix to a file:
//
//	true,cat,dog
//	cat,0.7,0.3
//	dog,0,1
//
// The header names the given labels and the first column the true classes. Numbers have enough digits to be read back
// exactly.
func (m *Matrix) WriteCSV(path string) (err error) {
	defer guard.Wrap(&err, "correction: write transition matrix")
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	// Writes to a buffer cannot fail.
	_ = w.Write(append([]string{"true"}, m.classes...))
	for i, row := range m.Rows() {
		record := []string{m.classes[i]}
		for _, v := range row {
			record = append(record, strconv.FormatFloat(v, 'g', -1, 64))
		}
		_ = w.Write(record)
	}
	w.Flush()
	return files.Write(path, b.Bytes(), 0o644)
}

// ReadMatrixCSV reads a transition matrix from a file in the format of WriteCSV. The corner cell may hold anything.
// Errors name the file and the line.
func ReadMatrixCSV(path string) (m *Matrix, err error) {
	defer guard.Wrap(&err, "correction: read transition matrix")
	var classes []string
	var rows [][]float64
	var lines []int
	err = eachRecord(path, func(r *csv.Reader, record []string) error {
		switch {
		case classes == nil:
			classes = record[1:]
			if areNumbers(record) {
				return errors.New("header: numbers where class names should be: put the class names on the first " +
					"line, after an empty cell")
			}
			if err := CheckClasses(classes); err != nil {
				return fmt.Errorf("header: %w", err)
			}
			return nil
		case len(rows) == len(classes):
			return fmt.Errorf("more rows than the %d classes of the header", len(classes))
		case record[0] != classes[len(rows)]:
			return fmt.Errorf("row of class %q, but the header's order has %q here", record[0], classes[len(rows)])
		}
		row, err := parseRow(r, record[1:])
		line, _ := r.FieldPos(0)
		rows, lines = append(rows, row), append(lines, line)
		return err
	})
	if err != nil {
		return nil, err
	}
	if classes == nil {
		return nil, fmt.Errorf("%s: empty file, want a header of class names", path)
	}
	if i, err := checkRows(classes, rows); err != nil {
		if i >= 0 {
			return nil, fmt.Errorf("%s:%d: %w", path, lines[i], err)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return newMatrix(classes, rows), nil
}

// mostCSV is the size limit of a CSV file in bytes.
const mostCSV = 1 << 28

// eachRecord calls visit with each record of a CSV file, its cells trimmed, and with the reader, which has their
// positions. Errors name the file and the line; a csv.ParseError names the column as well.
func eachRecord(path string, visit func(r *csv.Reader, record []string) error) error {
	data, err := files.Read(path, mostCSV)
	if err != nil {
		return err
	}
	if err := otherFormat(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))) // spreadsheets write it
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			for k, cell := range record {
				record[k] = strings.TrimSpace(cell)
			}
			err = visit(r, record)
		}
		if p := new(csv.ParseError); errors.As(err, &p) {
			return fmt.Errorf("%s:%d:%d: %w", path, p.Line, p.Column, p.Err)
		}
		if err != nil {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
}

// otherFormat returns an error if the encoding, the line ends or the separators are not ours.
func otherFormat(data []byte) error {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")),
		bytes.IndexByte(head, 0) >= 0:
		return errors.New("it is UTF-16 text: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)")
	case !utf8.Valid(data):
		return errors.New("it is not UTF-8 text: convert it (iconv -f ITS-ENCODING -t UTF-8)")
	case bytes.IndexByte(bytes.TrimSuffix(head, []byte("\r")), '\r') >= 0:
		return errors.New("its lines end in carriage returns, as on old Macs: convert it (tr '\\r' '\\n')")
	case bytes.IndexByte(head, ',') >= 0:
		return nil
	}
	for _, s := range []struct{ mark, name string }{{";", "semicolons"}, {"\t", "tabs"}, {"|", "bars"}} {
		if bytes.Contains(head, []byte(s.mark)) {
			return fmt.Errorf("its columns are separated by %s: use commas", s.name)
		}
	}
	return nil
}

// areNumbers reports whether a header is really the first row of a matrix without a header. Whole numbers are valid
// names unless one appears twice; 0.8 is not a name.
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
			return nil, &csv.ParseError{Line: line, Column: column, Err: fmt.Errorf("%q is not a number", s)}
		}
		row[j] = v
	}
	return row, nil
}
