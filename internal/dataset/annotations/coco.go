package annotations

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// COCO's instances: a JSON object with images, annotations with boxes, and categories. Annotations of crowds have no
// single box and are left as they are; an annotation without a box labels the whole image.
var coco = Entry{
	Name: "coco", Title: "COCO",
	is:   func(path string) bool { return begins(path, ".json", isObject) },
	read: readCOCO,
}

func isObject(head []byte) bool { return bytes.HasPrefix(head, []byte("{")) }

func readCOCO(path string) (*Set, error) {
	text, document, err := loadJSON(path)
	if err != nil {
		return nil, err
	}
	if !document.Get("annotations").IsArray() || !document.Get("categories").IsArray() {
		return nil, errors.New("the lists annotations and categories are missing; other JSON files that can be read are " +
			"lists, as exported by Label Studio; from FiftyOne export folders of classes, or COCO")
	}
	annotations := document.Get("annotations").Array()
	classes, categories, err := cocoCategories(document, annotations)
	if err != nil {
		return nil, err
	}
	s := &Set{texts: map[string][]byte{path: text}, write: func(class string) (string, error) {
		if id, ok := categories[class]; ok {
			return id, nil
		}
		return "", fmt.Errorf("unknown category %q", class)
	}}
	folders := around(path)
	images := cocoImages(document, folders)
	taken := map[string]bool{}
	for _, a := range annotations {
		if a.Get("iscrowd").Int() == 1 {
			continue
		}
		image := images[a.Get("image_id").String()]
		if image == nil {
			s.skip("annotation "+a.Get("id").String(), fmt.Errorf("unknown image_id %q", a.Get("image_id").String()))
			continue
		}
		l := cocoLabel(a, classes)
		if l.place, err = placeOf(path, text, a.Get("category_id")); err != nil && l.problem == nil {
			return nil, fmt.Errorf("annotation %s: %w", a.Get("id"), err)
		}
		l.problem = cmp.Or(image.problem, l.problem)
		l.number = strings.TrimPrefix(unique(taken, image.names[0]+"#"+a.Get("id").Raw), image.names[0])
		s.add(image, l, folders)
	}
	return s, nil
}

// cocoImages returns the images by their ids.
func cocoImages(document gjson.Result, folders []string) map[string]*drawing {
	images := map[string]*drawing{}
	var drawings []*drawing
	for _, i := range document.Get("images").Array() {
		id, name := i.Get("id").String(), i.Get("file_name").String()
		switch other := images[id]; {
		case id == "":
		case other == nil:
			d := &drawing{names: []string{name}, size: sizeOf(i.Get("width").Float(), i.Get("height").Float())}
			images[id], drawings = d, append(drawings, d)
		case other.names[0] != name:
			other.problem = fmt.Errorf("%s and %s have the same image id %s", other.names[0], name, id)
		}
	}
	locate(drawings, folders)
	return images
}

// cocoLabel returns the label of an annotation without its place.
func cocoLabel(a gjson.Result, classes map[string]string) (l drawn) {
	category := a.Get("category_id").String()
	if l.Class = classes[category]; l.Class == "" {
		l.problem = fmt.Errorf("no named category has the id %q", category)
		return l
	}
	l.Box, l.problem = cocoBox(a.Get("bbox"), a.Get("segmentation"))
	return l
}

// cocoCategories returns the names of the categories by id, and the ids, as written in the file, by name. If two
// categories have the same name, one without annotations is ignored.
func cocoCategories(document gjson.Result, annotations []gjson.Result) (classes, ids map[string]string, err error) {
	used := map[string]bool{}
	for _, a := range annotations {
		used[a.Get("category_id").String()] = true
	}
	classes, ids = map[string]string{}, map[string]string{}
	owner := map[string]string{} // id by class
	for _, c := range document.Get("categories").Array() {
		id, name := c.Get("id").String(), Key(c.Get("name").String())
		if id == "" || name == "" {
			continue // its annotations are left out
		}
		if other, taken := classes[id]; taken && other != name && used[id] {
			return nil, nil, fmt.Errorf("the categories %q and %q have the same id %s: give each its own", other, name, id)
		}
		switch other, taken := owner[name]; {
		case taken && other != id && used[other] && used[id]:
			return nil, nil, fmt.Errorf("the categories %s and %s have the same name %q: rename one", other, id, name)
		case taken && used[other]:
		default:
			owner[name], ids[name] = id, c.Get("id").Raw
		}
		classes[id] = name
	}
	return classes, ids, nil
}

// cocoBox returns the box of an annotation or, if it has none or an empty one, the box around its polygons. Without
// either it is zero, for the whole image.
func cocoBox(bbox, segmentation gjson.Result) (Box, error) {
	c, err := cocoNumbers(bbox)
	switch {
	case err != nil || len(c) != 0 && len(c) != 4:
		return Box{}, errors.New("its bbox is not four numbers: left, top, width and height")
	case len(c) == 4 && (c[2] != 0 || c[3] != 0 || !segmentation.Get("0").Exists()):
		box := Box{Left: c[0], Top: c[1], Width: c[2], Height: c[3]}
		return box, box.check(0)
	case segmentation.IsObject():
		return Box{}, errors.New("it has a mask but no bbox: add the bbox")
	case !segmentation.Get("0").Exists():
		return Box{}, nil
	}
	points, err := cocoNumbers(segmentation)
	if err != nil {
		return Box{}, fmt.Errorf("its segmentation: %w", err)
	}
	box, err := enclosing(points)
	if err != nil {
		return Box{}, err
	}
	return box, box.check(0)
}

// cocoNumbers returns the numbers in a list or in nested lists.
func cocoNumbers(list gjson.Result) (all []float64, err error) {
	for _, v := range list.Get(`@flatten:{"deep":true}`).Array() {
		x := v.Num
		if v.Type != gjson.Number {
			if x, err = strconv.ParseFloat(v.String(), 64); err != nil {
				return nil, fmt.Errorf("%.40s is not a number", v.Raw)
			}
		}
		all = append(all, x)
	}
	return all, nil
}

// loadJSON reads a JSON file. Values in the document are at the same bytes as in the text. NaN and Infinity, which
// Python's json writes, are empty strings in the document.
func loadJSON(path string) (text []byte, document gjson.Result, err error) {
	if text, err = load(path); err != nil {
		return nil, document, err
	}
	valid := text
	if !gjson.ValidBytes(text) {
		valid = notJSON.ReplaceAllFunc(text, func(found []byte) []byte {
			switch found[0] {
			case '"':
				return found
			case '\xef':
				return []byte("   ")
			}
			return append([]byte(`""`), bytes.Repeat([]byte(" "), len(found)-2)...)
		})
	}
	if err := json.Unmarshal(valid, new(json.RawMessage)); err != nil {
		return nil, document, fmt.Errorf("malformed JSON: %w", err)
	}
	return text, gjson.ParseBytes(valid), nil
}

// notJSON matches a byte order mark, the numbers that JSON does not have, and strings, which may contain the same.
var notJSON = regexp.MustCompile(`^\x{feff}|"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// placeOf returns the place of a JSON value.
func placeOf(path string, text []byte, value gjson.Result) (place, error) {
	from := value.Index
	if from <= 0 || from+len(value.Raw) > len(text) || string(text[from:from+len(value.Raw)]) != value.Raw {
		return place{}, fmt.Errorf("cannot locate %.40s in the file", value.Raw)
	}
	return place{path, from, from + len(value.Raw)}, nil
}

// nameOf returns the name of an example in an image.
func nameOf(image, number string) string {
	image = filepath.ToSlash(image)
	for strings.HasPrefix(image, "../") || strings.HasPrefix(image, "./") {
		_, image, _ = strings.Cut(image, "/")
	}
	return strings.TrimPrefix(image, "/") + number
}
