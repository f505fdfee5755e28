package annotations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/dataset"
)

// COCO's instances: a JSON object with images, annotations with boxes, and categories. Annotations
// of crowds have no single box and are left alone; one without a box is a label of the whole image.
var coco = Entry{
	Name: "coco", Title: "COCO",
	is:   func(path string) bool { return begins(path, ".json", isObject) && !isFiftyOne(path) },
	read: readCOCO,
}

func isObject(head []byte) bool { return bytes.HasPrefix(head, []byte("{")) }

func readCOCO(path string) (*Set, error) {
	text, err := loadJSON(path)
	if err != nil {
		return nil, err
	}
	document := gjson.ParseBytes(text)
	if !document.Get("annotations").IsArray() || !document.Get("categories").IsArray() {
		return nil, errors.New("it has no lists annotations and categories; of JSON files, a list is read as an export of Label Studio, and labels.json as FiftyOne's classes")
	}
	classes, numbers, err := cocoCategories(document)
	if err != nil {
		return nil, err
	}
	s := &Set{texts: map[string][]byte{path: text}}
	s.write = func(class string) (string, error) {
		if number, ok := numbers[class]; ok {
			return number, nil
		}
		return "", fmt.Errorf("there is no category %q", class)
	}
	images := map[string]string{}
	for _, i := range document.Get("images").Array() {
		images[i.Get("id").Raw] = i.Get("file_name").String()
	}
	folders := around(path)
	for _, a := range document.Get("annotations").Array() {
		if a.Get("iscrowd").Int() == 1 {
			continue
		}
		number := a.Get("category_id")
		image, ok := images[a.Get("image_id").Raw]
		l := Label{Name: nameOf(image, "#"+a.Get("id").Raw), Class: classes[number.Raw]}
		switch {
		case !ok:
			s.Left = append(s.Left, dataset.Skipped{Name: "annotation " + a.Get("id").String(), Why: "no image has the id " + a.Get("image_id").String()})
			continue
		case l.Class == "":
			s.Left = append(s.Left, dataset.Skipped{Name: l.Name, Why: "no category has the id " + number.String()})
			continue
		}
		if l.Box, err = cocoBox(a.Get("bbox").Array()); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		if l.Image, ok = imageIn(image, folders...); !ok {
			s.Left = append(s.Left, missing(l.Name, image, folders))
			continue
		}
		if l.place, err = placeOf(path, text, number); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		s.Labels = append(s.Labels, l)
	}
	return s, nil
}

// cocoCategories returns the names of the categories by their numbers, and the numbers by the names.
func cocoCategories(document gjson.Result) (classes, numbers map[string]string, err error) {
	classes, numbers = map[string]string{}, map[string]string{}
	for _, c := range document.Get("categories").Array() {
		number, name := c.Get("id").Raw, Key(c.Get("name").String())
		if number == "" || name == "" {
			return nil, nil, fmt.Errorf("a category without id or name: %.80s", c.Raw)
		}
		if other, ok := numbers[name]; ok && other != number {
			return nil, nil, fmt.Errorf("two categories have the name %q", name)
		}
		classes[number], numbers[name] = name, number
	}
	return classes, numbers, nil
}

// cocoBox is the zero Box without numbers: the label is that of the whole image.
func cocoBox(box []gjson.Result) (Box, error) {
	switch len(box) {
	case 0:
		return Box{}, nil
	case 4:
		return Box{box[0].Float(), box[1].Float(), box[2].Float(), box[3].Float(), false}, nil
	}
	return Box{}, fmt.Errorf("bbox has %d numbers, want left, top, width and height", len(box))
}

// loadJSON reads a file of JSON.
func loadJSON(path string) ([]byte, error) {
	text, err := load(path)
	if err != nil || gjson.ValidBytes(text) {
		return text, err
	}
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(text, new(json.RawMessage)), &syntax) {
		return nil, fmt.Errorf("malformed JSON at byte %d: %w", syntax.Offset, syntax)
	}
	return nil, errors.New("malformed JSON")
}

// placeOf is where a value of JSON stands.
func placeOf(path string, text []byte, value gjson.Result) (place, error) {
	from := value.Index
	if from <= 0 || from+len(value.Raw) > len(text) || string(text[from:from+len(value.Raw)]) != value.Raw {
		return place{}, fmt.Errorf("the place of %.40s is not known", value.Raw)
	}
	return place{path, from, from + len(value.Raw)}, nil
}

// nameOf is the name of an example in an image.
func nameOf(image, number string) string {
	image = filepath.ToSlash(image)
	for strings.HasPrefix(image, "../") || strings.HasPrefix(image, "./") {
		_, image, _ = strings.Cut(image, "/")
	}
	return strings.TrimPrefix(image, "/") + number
}
