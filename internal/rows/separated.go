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

// maxRow bounds the bytes of a row of text: a quote that is not closed makes one row of
// the rest of the file.
const maxRow = 64 << 20

// separated is a table of CSV or TSV.
type separated struct {
	csv    *csv.Reader
	bound  *bounded
	width  int
	chosen []int
	line   int // of the row that was read last
}

func newSeparated(r *bufio.Reader, separator rune) (table, []string, error) {
	s := &separated{bound: &bounded{r: r, left: maxRow}}
	s.csv = csv.NewReader(s.bound)
	s.csv.Comma = separator
	s.csv.LazyQuotes = separator == '\t'
	s.csv.FieldsPerRecord = -1 // read says more about it
	s.csv.ReuseRecord = true
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
			return nil, nil, atLine(s.line, "the names of the columns are not UTF-8 text: convert the file (iconv -f ITS-ENCODING -t UTF-8)")
		}
	}
	if separator == ',' && len(names) == 1 {
		for _, other := range []string{";", "\t"} {
			if strings.Contains(names[0], other) {
				return nil, nil, atLine(s.line, "the columns seem to be separated by %q: want commas, or tabs in a .tsv", other)
			}
		}
	}
	s.width = len(names)
	return s, names, nil
}

func (s *separated) choose(columns []int) { s.chosen = columns }

func (s *separated) read(row []string) error {
	record, err := s.next()
	if err != nil {
		return err
	}
	if len(record) != s.width {
		return atLine(s.line, "%d fields, but there are %d columns", len(record), s.width)
	}
	for k, c := range s.chosen {
		row[k] = record[c]
	}
	return nil
}

// next reads a record, which is valid until the next one.
func (s *separated) next() ([]string, error) {
	s.bound.left = maxRow
	before := s.line
	record, err := s.csv.Read()
	var malformed *csv.ParseError
	switch {
	case errors.As(err, &malformed):
		begun := ""
		if malformed.StartLine != malformed.Line {
			begun = fmt.Sprintf(", in a row that begins in line %d", malformed.StartLine)
		}
		return nil, atLine(malformed.Line, "%w (character %d%s)", malformed.Err, malformed.Column, begun)
	case errors.Is(err, errLongRow):
		return nil, &placeError{fmt.Sprintf(":%d", before+1), err}
	case err != nil:
		return nil, err
	}
	s.line, _ = s.csv.FieldPos(0)
	for _, value := range record {
		if s.csv.LazyQuotes && strings.Contains(value, "\t") && strings.Contains(value, "\n") {
			return nil, atLine(s.line, "a value with a tab and a line end, as where the quote at its beginning is not closed: remove the quote, or double it")
		}
	}
	return record, nil
}

func (s *separated) where() string { return fmt.Sprintf(":%d", s.line) }

// bounded returns an error after left bytes. The csv.Reader reads at most 4 KiB ahead.
type bounded struct {
	r    io.Reader
	left int
}

var errLongRow = fmt.Errorf("the row that begins here or after has more than %d MiB: is a quote not closed?", maxRow>>20)

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongRow
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}
