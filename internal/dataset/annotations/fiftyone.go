package annotations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/files"
)

// FiftyOne's classification data set: labels.json with the list classes and the object labels. Its keys are the names
// of images in the folder data, without their endings. Its values are a class number, a class name, null, or an
// object with one of these as label and a confidence.
var fiftyone = Entry{
	Name: "fiftyone", Title: "FiftyOne's image classification",
	is:   isFiftyOne,
	read: readFiftyOne,
}

// isFiftyOne reports whether labels.json has this format; FiftyOne's COCO files have the same name.
func isFiftyOne(path string) bool {
	return filepath.Base(path) == "labels.json" && begins(path, ".json", fiftyOneHead.Match)
}

var fiftyOneHead = regexp.MustCompile(`^\{\s*("(classes|labels)"|\})`)

func readFiftyOne(path string) (*Set, error) {
	text, document, err := loadJSON(path)
	if err != nil {
		return nil, err
	}
	if !document.Get("labels").IsObject() {
		return nil, errors.New("labels is not an object that maps the names of images to classes")
	}
	var classes []string
	for _, c := range document.Get("classes").Array() {
		classes = append(classes, c.String())
	}
	s := &Set{texts: map[string][]byte{path: text}}
	folder := filepath.Join(filepath.Dir(path), "data")
	images, err := byStem(folder)
	if err != nil {
		return nil, err
	}
	numbered := false
	var failed error
	document.Get("labels").ForEach(func(key, value gjson.Result) bool {
		stem := key.String()
		value = labelOf(value)
		image := images[norm.NFC.String(stem)]
		l := Label{Name: stem, Class: value.String(), Image: filepath.Join(folder, filepath.FromSlash(image))}
		var why error
		switch n := int(value.Int()); {
		case value.Type == gjson.Null:
			return true
		case value.Type == gjson.Number && (n < 0 || n >= len(classes)):
			why = fmt.Errorf("class number %s, want a whole number in [0, %d)", value.Raw, len(classes))
		case value.Type != gjson.Number && value.Type != gjson.String:
			why = fmt.Errorf("%.40s is not a single class: an audit needs one for each image", value.Raw)
		case image == "":
			why = errors.New("no image with this name in data/")
		case value.Type == gjson.Number:
			l.Class = classes[n]
		}
		if numbered = numbered || value.Type == gjson.Number; why != nil {
			s.skip(stem, why)
			return true
		}
		if l.place, failed = placeOf(path, text, value); failed != nil {
			return false
		}
		if filepath.Ext(l.Name) == "" {
			l.Name += filepath.Ext(image)
		}
		s.Labels = append(s.Labels, l)
		return true
	})
	s.write = jsonString
	if numbered {
		s.write = func(class string) (string, error) { return s.numberOf(class, maps.Collect(slices.All(classes))) }
	}
	return s, failed
}

// labelOf returns the label of a classification {"label": "disc", "confidence": 0.6} or of a list with one, and other
// values as they are.
func labelOf(value gjson.Result) gjson.Result {
	if list := value.Array(); value.IsArray() && len(list) == 1 {
		value = list[0]
	}
	if label := value.Get("label"); label.Exists() {
		return label
	}
	return value
}

// jsonString encodes a string as JSON with as few escapes as possible.
func jsonString(text string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(text)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// byStem returns the names of the images below a folder by these names, with and without endings, in Unicode's form C.
func byStem(folder string) (map[string]string, error) {
	out := map[string]string{}
	err := files.Walk(folder, func(name string, info fs.FileInfo) error {
		if info.IsDir() || !files.IsImage(name) {
			return nil
		}
		key := norm.NFC.String(name)
		out[key] = name
		if stem := strings.TrimSuffix(key, filepath.Ext(key)); out[stem] == "" {
			out[stem] = name
		}
		return nil
	})
	return out, err
}
