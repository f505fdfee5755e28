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
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/files"
)

// largest is the largest size of one file of annotations.
const largest = 1 << 30

func load(path string) ([]byte, error) { return files.Read(path, largest) }

// Key is a class for comparisons: in Unicode's normal form C, without outer spaces.
func Key(class string) string { return norm.NFC.String(strings.TrimSpace(class)) }

// find returns the path of a file or folder, whose name on the disk may be in another form of Unicode,
// since macOS decomposes names.
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

// clamp limits a number to the range of image coordinates; NaN becomes 0.
func clamp(x float64) int {
	if x != x {
		return 0
	}
	return int(min(max(x, -1<<20), 1<<20))
}

// begins reports whether a file has an ending and its first bytes, without spaces and a byte order mark,
// pass a test.
func begins(path, ending string, with func(head []byte) bool) bool {
	if !strings.HasSuffix(strings.ToLower(path), ending) {
		return false
	}
	f, err := files.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 1<<12)
	n, _ := io.ReadFull(f, head)
	return with(bytes.TrimSpace(bytes.TrimPrefix(head[:n], []byte("\ufeff"))))
}

// element is an XML element, with the bytes of its tag and its content.
type element struct {
	xml.StartElement
	file     []byte
	tagAt    int
	from, to int    // of the content
	text     string // the text of an element without children
	children []*element
}

// attribute returns the value of an attribute, or "".
func (e *element) attribute(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// numbers returns the values of attributes as numbers.
func (e *element) numbers(names ...string) ([]float64, error) {
	values := make([]float64, len(names))
	for k, name := range names {
		var err error
		if values[k], err = strconv.ParseFloat(strings.TrimSpace(e.attribute(name)), 64); err != nil {
			return nil, fmt.Errorf("<%s>: %s is %q, want a number", e.Name.Local, name, e.attribute(name))
		}
	}
	return values, nil
}

var attributes = regexp.MustCompile(`([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// valueOf returns the position of an attribute's value.
func (e *element) valueOf(name string) (from, to int, ok bool) {
	for _, m := range attributes.FindAllSubmatchIndex(e.file[e.tagAt:e.from], -1) {
		if string(e.file[e.tagAt+m[2]:e.tagAt+m[3]]) == name {
			from, to = max(m[4], m[6]), max(m[5], m[7])
			return e.tagAt + from, e.tagAt + to, true
		}
	}
	return 0, 0, false
}

// all returns the children with a name.
func (e *element) all(name string) []*element {
	return slices.DeleteFunc(slices.Clone(e.children), func(c *element) bool { return c.Name.Local != name })
}

// child returns the first child with a name, or an empty element.
func (e *element) child(name string) *element { return append(e.all(name), &element{})[0] }

// parseXML returns an element with the content of an XML file. Errors name the line.
func parseXML(raw []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(raw))
	open := []*element{{file: raw}}
	for {
		at := int(d.InputOffset())
		token, err := d.Token()
		if err == io.EOF {
			return open[0], nil
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{StartElement: t.Copy(), file: raw, tagAt: at, from: int(d.InputOffset())}
			top.children, open = append(top.children, e), append(open, e)
		case xml.CharData:
			top.text += string(t)
		case xml.EndElement:
			top.text, top.to, open = strings.TrimSpace(top.text), at, open[:len(open)-1]
		}
	}
}

// escaped escapes a class for XML, including attributes.
func escaped(class string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(class))
	return b.String(), err
}
