package annotations

import (
	"bytes"
	"fmt"
)

// CVAT's XML for images, version 1.1: <image name="..."> with <tag label="..."/> for the whole
// image and <box label="..." xtl= ytl= xbr= ybr=/>.
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
	s := &Set{texts: map[string][]byte{path: text}, write: escaped}
	folders := around(path)
	var image string
	boxes, tags := 0, 0
	err = walkXML(text, func(_ []string, begin *element, _ string, _, _ int) error {
		if begin == nil {
			return nil
		}
		switch begin.Name.Local {
		case "image":
			image, boxes, tags = begin.attribute("name"), 0, 0
			return nil
		case "tag":
			tags++
			number := ""
			if tags > 1 {
				number = fmt.Sprintf("#tag%d", tags)
			}
			return s.addElement(path, begin, Label{Name: nameOf(image, number)}, image, folders)
		case "box":
			boxes++
			l := Label{Name: nameOf(image, fmt.Sprintf("#%d", boxes))}
			var corners [4]float64
			for k, name := range []string{"xtl", "ytl", "xbr", "ybr"} {
				if corners[k], err = begin.number(name); err != nil {
					return err
				}
			}
			l.Box = Box{corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1], false}
			return s.addElement(path, begin, l, image, folders)
		}
		return nil
	})
	return s, err
}

// addElement adds a label whose class is the attribute label of an element.
func (s *Set) addElement(path string, e *element, l Label, image string, folders []string) error {
	from, to, ok := e.valueOf("label")
	l.Class = e.attribute("label")
	if !ok || l.Class == "" {
		return fmt.Errorf("<%s> has no label", e.Name.Local)
	}
	l.place = place{path, from, to}
	if l.Image, ok = imageIn(image, folders...); !ok {
		s.Left = append(s.Left, missing(l.Name, image, folders))
		return nil
	}
	s.Labels = append(s.Labels, l)
	return nil
}
