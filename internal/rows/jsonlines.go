package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// jsonLines is a table of JSON lines.
type jsonLines struct {
	r      *bufio.Reader
	line   int
	first  []byte         // the first object, until it is read as a row
	names  []string       // of the columns
	row    map[string]int // place among the chosen columns
	buffer []byte
}

// peeked is the number of bytes after the first line that are searched for more keys.
const peeked = 1 << 20

func newJSONLines(r *bufio.Reader) (table, []string, error) {
	j := &jsonLines{r: r}
	text, err := j.next()
	if err == io.EOF {
		return nil, nil, errors.New("it has no line with an object")
	}
	if err != nil {
		return nil, nil, err
	}
	j.first = bytes.Clone(text)
	known := map[string]bool{}
	ahead, _ := j.r.Peek(peeked)
	for line := range bytes.Lines(append(append(bytes.Clone(text), '\n'), ahead...)) {
		if !gjson.ValidBytes(line) { // malformed, or the end of what was peeked at
			continue
		}
		gjson.ParseBytes(line).ForEach(func(key, _ gjson.Result) bool {
			if key.Type == gjson.String && !known[key.String()] {
				name := strings.Clone(key.String())
				known[name] = true
				j.names = append(j.names, name)
			}
			return true
		})
	}
	return j, j.names, nil
}

func (j *jsonLines) choose(columns []int) {
	j.row = map[string]int{}
	for k, c := range columns {
		j.row[j.names[c]] = k
	}
}

func (j *jsonLines) read(row []string) error {
	text := j.first
	j.first = nil
	if text == nil {
		var err error
		if text, err = j.next(); err != nil {
			return err
		}
	}
	clear(row)
	gjson.ParseBytes(text).ForEach(func(key, value gjson.Result) bool {
		if k, ok := j.row[key.String()]; ok {
			row[k] = plain(value)
		}
		return true
	})
	return nil
}

// next returns the next line that is not empty, a JSON object. It is valid until the next call.
func (j *jsonLines) next() ([]byte, error) {
	for {
		j.buffer = j.buffer[:0]
		j.line++
		for {
			part, err := j.r.ReadSlice('\n')
			j.buffer = append(j.buffer, part...)
			if len(j.buffer) > maxRow {
				return nil, atLine(j.line, "a line of more than %d MiB: want one object a line", maxRow>>20)
			}
			if err == io.EOF && len(j.buffer) == 0 {
				return nil, io.EOF
			}
			if err == nil || err == io.EOF {
				break
			}
			if err != bufio.ErrBufferFull {
				return nil, err
			}
		}
		if !utf8.Valid(j.buffer) { // encoding/json would replace the bytes
			return nil, atLine(j.line, "not UTF-8 text: convert the file (iconv -f ITS-ENCODING -t UTF-8)")
		}
		text := bytes.TrimSpace(j.buffer)
		if len(text) == 0 {
			continue
		}
		if text[0] != '{' {
			return nil, atLine(j.line, "want one JSON object a line, and this begins with %.20q", text)
		}
		if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
			return nil, atLine(j.line, "malformed JSON: %w", err)
		}
		return text, nil
	}
}

func (j *jsonLines) where() string { return fmt.Sprintf(":%d", j.line) }

// plain returns a string's content, "" for null, and other values as they are written.
func plain(value gjson.Result) string {
	switch value.Type {
	case gjson.String:
		return value.Str
	case gjson.Null:
		return ""
	}
	return value.Raw
}
