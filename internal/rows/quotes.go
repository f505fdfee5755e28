package rows

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
)

// mostLines is the largest number of lines of a record whose quotes have backslashes.
const mostLines = 200

// repair reads a malformed record that begins in a line, without the rules for quotes that it breaks. It returns nil if
// that does not give a value for each column.
func (s *separated) repair(line int) []string {
	if s.names == nil {
		return nil
	}
	offset := s.start
	for n := 1; n <= mostLines; n++ {
		text, all := s.bound.lines(offset, n)
		if n == 1 && all && len(bytes.TrimSpace(text)) == 0 { // csv skips empty lines
			offset += int64(len(text))
			n = 0
			continue
		}
		for _, record := range s.readings(text, n) {
			if record, err := s.fit(record); err == nil {
				s.bound.back(offset + int64(len(text)))
				s.line, s.before = line, line+n-1
				s.begin()
				return record
			}
		}
		if !all || s.comma == '\t' || !bytes.Contains(text, []byte(`\"`)) {
			break
		}
	}
	return nil
}

// readings returns what a record of n lines may mean: CSV with backslashes before quotes, CSV with quotes inside a
// value, as in 5" disk, or text without quoting.
func (s *separated) readings(text []byte, n int) (records [][]string) {
	plain := strings.Split(strings.TrimRight(string(text), "\r\n"), string(s.comma))
	if s.comma == '\t' {
		return [][]string{plain}
	}
	parse := func(text string, lazy bool) {
		r := csv.NewReader(strings.NewReader(strings.TrimRight(text, "\r\n") + "\n"))
		r.LazyQuotes, r.FieldsPerRecord = lazy, -1
		list, err := r.ReadAll()
		closed := err == nil && len(list) == 1 && !strings.HasSuffix(list[0][len(list[0])-1], "\n")
		if closed {
			records = append(records, list[0])
		}
	}
	if doubled := withoutBackslashes(text); !bytes.Equal(doubled, text) {
		parse(string(doubled), false)
	}
	if n == 1 {
		parse(string(text), true)
		if bytes.Count(text, []byte(`"`))%2 == 0 { // else the value may go on in the next line
			records = append(records, plain)
		}
	}
	return records
}

// withoutBackslashes replaces \" by "".
func withoutBackslashes(text []byte) []byte {
	return escaped.ReplaceAllFunc(text, func(pair []byte) []byte {
		if pair[1] == '"' {
			return []byte(`""`)
		}
		return pair
	})
}

var escaped = regexp.MustCompile(`(?s)\\.`) // a backslash and what it escapes
