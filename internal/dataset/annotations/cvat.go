package annotations

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CVAT's XML for images, version 1.1: <image name="..."> with <tag label="..."/> for the whole image, and shapes with
// a label. A shape with an area is a box; other shapes are left out.
var cvat = Entry{
	Name: "cvat", Title: "CVAT for images",
	is: func(path string) bool {
		return begins(path, ".xml", func(head []byte) bool { return bytes.Contains(head, []byte("<annotations")) })
	},
	read: readCVAT,
}

func readCVAT(path string) (*Set, error) {
	text, err := load(path)
	if err != nil {
		return nil, err
	}
	document, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	root := document.child("annotations")
	if len(root.all("track")) > 0 {
		return nil, errors.New(`it has tracks, as in "CVAT for video": ` +
			`export the task again as "CVAT for images 1.1", with images`)
	}
	var drawings []*drawing
	for _, image := range root.all("image") {
		d, count := cvatImage(image), map[string]int{}
		for _, shape := range image.children {
			count[shape.Name.Local]++
			d.labels = append(d.labels, cvatLabel(path, shape, count[shape.Name.Local]))
		}
		drawings = append(drawings, d)
	}
	s := &Set{texts: map[string][]byte{path: text}, write: escaped}
	s.addAll(drawings, around(path))
	return s, nil
}

// cvatImage returns an image, which may be in a folder named after its subset.
func cvatImage(e *element) *drawing {
	name := e.attribute("name")
	d := &drawing{names: []string{name}}
	if subset := e.attribute("subset"); subset != "" {
		d.names = []string{subset + "/" + name, name}
	}
	if size, err := e.numbers("width", "height"); err == nil {
		d.size = sizeOf(size[0], size[1])
	}
	return d
}

// cvatLabel returns the label of a tag, or of the nth shape of its kind in an image.
func cvatLabel(path string, e *element, n int) (l drawn) {
	kind := e.Name.Local
	switch {
	case kind == "box":
		l.number = fmt.Sprintf("#%d", n)
	case kind != "tag" || n > 1:
		l.number = fmt.Sprintf("#%s%d", kind, n)
	}
	from, to, ok := e.valueOf("label")
	l.Class, l.place = e.attribute("label"), place{path, from, to}
	switch {
	case !ok || strings.TrimSpace(l.Class) == "":
		l.problem = fmt.Errorf("<%s> has no label", kind)
	case kind != "tag":
		if l.Box, l.problem = e.shape(); l.problem == nil {
			l.problem = l.Box.check(0)
		}
	}
	return l
}

// shape returns the upright rectangle around a shape.
func (e *element) shape() (Box, error) {
	if e.Name.Local == "polygon" {
		return e.polygon()
	}
	shape, ok := cvatShapes[e.Name.Local]
	if !ok {
		return Box{}, fmt.Errorf("<%s> has no area to cut out", e.Name.Local)
	}
	c, err := e.numbers(shape.attributes...)
	if err != nil {
		return Box{}, err
	}
	turn := []float64{0}
	if e.attribute("rotation") != "" {
		if turn, err = e.numbers("rotation"); err != nil {
			return Box{}, err
		}
	}
	return shape.box(c, turn[0])
}

// cvatShapes are the shapes with an area: how to make a box from the values of their attributes and a turn in
// degrees.
var cvatShapes = map[string]struct {
	attributes []string
	box        func(c []float64, turn float64) (Box, error)
}{
	"box": {[]string{"xtl", "ytl", "xbr", "ybr"}, func(c []float64, turn float64) (Box, error) {
		return Box{Left: c[0], Top: c[1], Width: c[2] - c[0], Height: c[3] - c[1]}.turned(turn), nil
	}},
	"mask": {[]string{"left", "top", "width", "height"}, func(c []float64, _ float64) (Box, error) {
		return Box{Left: c[0], Top: c[1], Width: c[2], Height: c[3]}, nil
	}},
	"ellipse": {[]string{"cx", "cy", "rx", "ry"}, func(c []float64, turn float64) (Box, error) {
		sin, cos := math.Sincos(turn * math.Pi / 180)
		x, y := math.Hypot(c[2]*cos, c[3]*sin), math.Hypot(c[2]*sin, c[3]*cos)
		return Box{Left: c[0] - x, Top: c[1] - y, Width: 2 * x, Height: 2 * y}, nil
	}},
	"cuboid": {
		[]string{
			"xtl1", "ytl1", "xbl1", "ybl1", "xtr1", "ytr1", "xbr1", "ybr1",
			"xtl2", "ytl2", "xbl2", "ybl2", "xtr2", "ytr2", "xbr2", "ybr2",
		},
		func(c []float64, _ float64) (Box, error) { return enclosing(c) },
	},
}

func (e *element) polygon() (Box, error) {
	var points []float64
	for _, text := range strings.FieldsFunc(e.attribute("points"), func(r rune) bool { return r == ';' || r == ',' }) {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return Box{}, fmt.Errorf("<polygon>: points has %q, want numbers", text)
		}
		points = append(points, x)
	}
	return enclosing(points)
}
