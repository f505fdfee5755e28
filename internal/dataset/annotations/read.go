package annotations

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/files"
)

// largest bounds the size of one file of annotations.
const largest = 1 << 30

func load(path string) ([]byte, error) { return files.Read(path, largest) }

// Key is a class as classes are compared: in Unicode's normal form C, without spaces at its ends.
func Key(class string) string { return norm.NFC.String(strings.TrimSpace(class)) }

// find returns the path of a file or folder whose name may be in another form of Unicode than in a text:
// macOS decomposes names.
func find(folder, name string) (path string, found bool) {
	dir, base := filepath.Split(name)
	nfc, nfd := norm.NFC.String, norm.NFD.String
	for _, form := range []string{name, nfc(name), nfd(name), dir + nfc(base), dir + nfd(base)} {
		if path != "" && form == name {
			continue // ASCII
		}
		path = filepath.Join(folder, form)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}

func floor(x float64) int { return clamp(math.Floor(x)) }
func ceil(x float64) int  { return clamp(math.Ceil(x)) }

// clamp turns a number into one that an image's coordinates can be; NaN is 0.
func clamp(x float64) int {
	if x != x {
		return 0
	}
	return int(min(max(x, -1<<20), 1<<20))
}

// begins reports whether a file with one of the endings begins with a text, spaces and a byte
// order mark left out.
func begins(path, ending string, with func(head []byte) bool) bool {
	if !strings.HasSuffix(strings.ToLower(path), ending) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	head := make([]byte, 1<<12)
	n, _ := io.ReadFull(f, head)
	return with(bytes.TrimSpace(bytes.TrimPrefix(head[:n], []byte("\ufeff"))))
}

// element is the beginning of an element of XML: its name, its attributes and the bytes of its tag.
type element struct {
	xml.StartElement
	text     []byte // of the whole file
	from, to int
}

// attribute returns the value of an attribute, "" if it is not there.
func (e element) attribute(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// numbers returns the values of attributes as numbers.
func (e element) numbers(names ...string) ([]float64, error) {
	values := make([]float64, len(names))
	for k, name := range names {
		var err error
		if values[k], err = strconv.ParseFloat(strings.TrimSpace(e.attribute(name)), 64); err != nil {
			return nil, fmt.Errorf("<%s>: %s is %q, not a number", e.Name.Local, name, e.attribute(name))
		}
	}
	return values, nil
}

var attributes = regexp.MustCompile(`([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// valueOf returns where the value of an attribute stands.
func (e element) valueOf(name string) (from, to int, ok bool) {
	for _, m := range attributes.FindAllSubmatchIndex(e.text[e.from:e.to], -1) {
		if string(e.text[e.from+m[2]:e.from+m[3]]) != name {
			continue
		}
		if m[4] >= 0 {
			return e.from + m[4], e.from + m[5], true
		}
		return e.from + m[6], e.from + m[7], true
	}
	return 0, 0, false
}

// walkXML calls visit at the begin and, with a nil element, at the end of each element of an
// XML file. path are the names of the elements around it and its own; text is what stands
// directly in an element that has ended, between the bytes from and to.
func walkXML(raw []byte, visit func(path []string, begin *element, text string, from, to int) error) error {
	d := xml.NewDecoder(bytes.NewReader(raw))
	var path []string
	var starts []int
	text := ""
	for {
		before := int(d.InputOffset())
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err // which names the line
		}
		after := int(d.InputOffset())
		switch t := token.(type) {
		case xml.StartElement:
			path, starts, text = append(path, t.Name.Local), append(starts, after), ""
			err = visit(path, &element{t, raw, before, after}, "", 0, 0)
		case xml.CharData:
			text += string(t)
		case xml.EndElement:
			err = visit(path, nil, strings.TrimSpace(text), starts[len(starts)-1], before)
			path, starts, text = path[:len(path)-1], starts[:len(starts)-1], ""
		}
		if err != nil {
			line, _ := d.InputPos()
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// escaped is a class as XML has it, in attributes too.
func escaped(class string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(class))
	return b.String(), err
}
