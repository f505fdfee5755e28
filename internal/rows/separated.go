package rows

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRow is the most bytes of a row of text. A quote that is never closed makes one row of the rest of the file. A
// test changes it.
var maxRow = 64 << 20

// separated is a table of CSV or TSV.
type separated struct {
	csv    *csv.Reader
	bound  *bounded
	comma  rune
	names  []string
	chosen []int
	start  int64 // offset in csv of the last row, including the empty lines before it
	before int   // number of lines before csv's first
	line   int   // of the last row
}

func newSeparated(r *bufio.Reader, separator rune) (table, []string, error) {
	s := &separated{bound: &bounded{r: r, left: maxRow}, comma: separator}
	s.begin()
	names, err := s.next()
	if err == io.EOF {
		return nil, nil, errors.New("it has no line with the names of the columns")
	}
	if err != nil {
		return nil, nil, err
	}
	names = slices.Clone(names)
	for _, name := range names {
		if !utf8.ValidString(name) {
			return nil, nil, atLine(s.line, "the names of the columns are not UTF-8 text: convert the file (iconv -f "+
				"ITS-ENCODING -t UTF-8)")
		}
	}
	if separator == ',' && len(names) == 1 {
		for _, other := range []string{";", "\t"} {
			if strings.Contains(names[0], other) {
				return nil, nil, atLine(s.line, "the columns seem to be separated by %q: want commas, or tabs in a .tsv", other)
			}
		}
	}
	s.names = names
	return s, names, nil
}

// begin starts a CSV reader for the rest of the file.
func (s *separated) begin() {
	s.csv = csv.NewReader(s.bound)
	s.csv.Comma = s.comma
	s.csv.LazyQuotes = s.comma == '\t'
	s.csv.FieldsPerRecord = -1 // fit gives a better error
	s.csv.ReuseRecord = true
}

func (s *separated) choose(columns []int) { s.chosen = columns }

// read skips empty rows, which spreadsheets write below a table.
func (s *separated) read(row []string) error {
	record, err := s.next()
	for err == nil && len(record) > 1 && isBlank(record) {
		record, err = s.next()
	}
	if err == nil {
		record, err = s.fit(record)
	}
	if err != nil {
		return err
	}
	for k, c := range s.chosen {
		row[k] = record[c]
	}
	return nil
}

func isBlank(record []string) bool {
	return !slices.ContainsFunc(record, func(value string) bool { return strings.TrimSpace(value) != "" })
}

// fit returns a record with a value for each column. Commas at the end of a line, including the first, do not count.
func (s *separated) fit(record []string) ([]string, error) {
	n, width := len(record), len(s.names)
	switch {
	case n > width && isBlank(record[width:]):
		return record[:width], nil
	case n < width && isBlank(s.names[n:]):
		return append(record, make([]string, width-n)...), nil
	case n == width:
		return record, nil
	}
	return nil, atLine(s.line, "%d fields, but there are %d columns", n, width)
}

// next reads a record. It is valid until the next call.
func (s *separated) next() ([]string, error) {
	s.bound.left = maxRow
	s.start = s.csv.InputOffset()
	s.bound.forget(s.start)
	last := s.line
	record, err := s.csv.Read()
	var malformed *csv.ParseError
	switch {
	case errors.As(err, &malformed):
		if record = s.repair(s.before + malformed.StartLine); record != nil {
			return record, nil
		}
		return nil, atLine(s.before+malformed.StartLine, `%w (line %d, character %d): write a quote inside of a value as ""`,
			malformed.Err, s.before+malformed.Line, malformed.Column)
	case errors.Is(err, errLongRow):
		return nil, &placeError{fmt.Sprintf(":%d", last+1), err}
	case err != nil:
		return nil, err
	}
	line, _ := s.csv.FieldPos(0)
	s.line = s.before + line
	for _, value := range record {
		if s.csv.LazyQuotes && strings.Contains(value, "\t") && strings.Contains(value, "\n") {
			if record = s.repair(s.line); record != nil {
				return record, nil
			}
			return nil, atLine(s.line, "a value with a tab and a line end, as where the quote at its beginning is not closed: "+
				"remove the quote, or double it")
		}
	}
	return record, nil
}

func (s *separated) where() string { return fmt.Sprintf(":%d", s.line) }
