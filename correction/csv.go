package correction

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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
			if err := CheckClasses(classes); err != nil {
				return fmt.Errorf("header: %w: write the class names, separated by commas, after an empty cell", err)
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
