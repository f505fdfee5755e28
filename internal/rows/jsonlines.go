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
	seen   map[string]int // the last line with each column
	buffer []byte
	cut    bool // the last line has no line end
}

// peeked is the number of bytes after the first line that are searched for more keys.
const peeked = 1 << 20

func newJSONLines(r *bufio.Reader) (table, []string, error) {
	j := &jsonLines{r: r, seen: map[string]int{}}
	text, err := j.next()
	if err == io.EOF {
		return nil, nil, errors.New("it has no line with an object")
	}
	if err != nil {
		return nil, nil, err
	}
	j.first = bytes.Clone(text)
	add := func(key string) bool {
		_, known := j.seen[key]
		if !known {
			j.seen[key] = 0
			j.names = append(j.names, key)
		}
		return !known
	}
	err = eachMember(text, func(key string, _ gjson.Result) error {
		if !add(key) {
			return fmt.Errorf("the key %q is there twice", key)
		}
		return nil
	})
	if err != nil {
		return nil, nil, atLine(j.line, "%w", err)
	}
	ahead, _ := j.r.Peek(peeked)
	for line := range bytes.Lines(ahead) {
		if !gjson.ValidBytes(line) { // malformed, or the end of what was peeked at
			continue
		}
		gjson.ParseBytes(line).ForEach(func(key, _ gjson.Result) bool {
			if key.Type == gjson.String {
				add(strings.Clone(key.String()))
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
	err := eachMember(text, func(key string, value gjson.Result) error {
		last, ok := j.seen[key]
		if !ok { // a key after the bytes that were searched
			return nil
		}
		if last == j.line {
			return fmt.Errorf("the key %q is there twice", key)
		}
		j.seen[key] = j.line
		if k, ok := j.row[key]; ok {
			row[k] = plain(value)
		}
		return nil
	})
	switch {
	case errors.Is(err, errInside) && j.cut:
		return atLine(j.line, "%w: the file seems to be cut off", err)
	case err != nil:
		return atLine(j.line, "%w", err)
	}
	return nil
}

// next returns the next line that is not empty. It is valid until the next call.
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
				j.cut = err == io.EOF
				break
			}
			if err != bufio.ErrBufferFull {
				return nil, err
			}
		}
		if !utf8.Valid(j.buffer) { // encoding/json would replace the bytes
			return nil, atLine(j.line, "not UTF-8 text: convert the file (iconv -f ITS-ENCODING -t UTF-8)")
		}
		if text := bytes.TrimSpace(j.buffer); len(text) > 0 {
			return text, nil
		}
	}
}

func (j *jsonLines) where() string { return fmt.Sprintf(":%d", j.line) }

// eachMember calls visit for the members of a JSON object.
func eachMember(text []byte, visit func(key string, value gjson.Result) error) (err error) {
	if text[0] != '{' {
		return fmt.Errorf("want one JSON object a line, and this begins with %.20q", text)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(new(json.RawMessage)); errors.Is(err, io.ErrUnexpectedEOF) {
		return errInside
	} else if err != nil {
		return fmt.Errorf("malformed JSON: %w", err)
	}
	if rest := text[d.InputOffset():]; len(rest) > 0 {
		return fmt.Errorf("malformed JSON: %.20q after the object", rest)
	}
	gjson.ParseBytes(text).ForEach(func(key, value gjson.Result) bool {
		err = visit(key.String(), value)
		return err == nil
	})
	return err
}

var errInside = errors.New("malformed JSON: the line ends inside of the object")

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
