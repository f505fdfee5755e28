package annotations

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/files"
)

// Pascal VOC: a folder with *.xml, one for each image, in Annotations or below it, and the images in JPEGImages; of
// FiftyOne, in labels and data.
var voc = Entry{
	Name: "voc", Title: "Pascal VOC",
	is:   func(path string) bool { return vocFolder(path) != "" },
	read: readVOC,
}

// vocFolder returns the folder of the XML files; "" without one.
func vocFolder(root string) string {
	folders := []string{"Annotations"}
	if info, err := os.Stat(filepath.Join(root, "data")); err == nil && info.IsDir() {
		folders = append(folders, "labels")
	}
	for _, name := range folders {
		folder := filepath.Join(root, name)
		if first, _ := xmlFiles(folder, 1); len(first) > 0 {
			return folder
		}
	}
	return ""
}

// xmlFiles returns the first XML files below a folder, all if most is negative.
func xmlFiles(folder string, most int) (names []string, err error) {
	err = files.Walk(folder, func(name string, info fs.FileInfo) error {
		if !info.IsDir() && path.Ext(name) == ".xml" {
			names = append(names, name)
		}
		if len(names) == most {
			return fs.SkipAll
		}
		return nil
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return names, err
}

func readVOC(root string) (*Set, error) {
	folder := vocFolder(root)
	names, err := xmlFiles(folder, -1)
	if err != nil {
		return nil, err
	}
	s := &Set{texts: map[string][]byte{}, write: escaped, folder: root}
	drawings := make([]*drawing, len(names))
	users := map[string]int{} // of a filename in a folder
	for k, name := range names {
		if drawings[k], err = s.parseVOC(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		users[path.Dir(name)+"/"+drawings[k].name]++
	}
	images := vocImages{stems: sync.OnceValue(func() map[string]string { return vocStems(root) })}
	for _, in := range []string{"JPEGImages", "", "images", "data", filepath.Base(folder)} {
		images.folders = append(images.folders, filepath.Join(root, in))
	}
	for k, d := range drawings {
		d.names = images.names(names[k], d.name, users[path.Dir(names[k])+"/"+d.name] > 1)
	}
	s.addAll(drawings, images.folders)
	return s, nil
}

// parseVOC returns the objects of an XML file, and the name of its image as the drawing's name.
func (s *Set) parseVOC(file string) (*drawing, error) {
	text, err := load(file)
	if err != nil {
		return nil, err
	}
	s.texts[file] = text
	d := &drawing{}
	numbers := map[string]float64{} // the size of the image, then the corners of an object
	err = walkXML(text, func(parents []string, begin *element, value string, from, to int) error {
		within := strings.Join(parents, "/")
		switch {
		case begin != nil && within == "annotation/object":
			d.labels = append(d.labels, drawn{number: fmt.Sprintf("#%d", len(d.labels)+1)})
			clear(numbers)
		case begin != nil:
		case within == "annotation/filename":
			d.name = value
		case within == "annotation/size":
			d.size = sizeOf(numbers["width"], numbers["height"])
		case within == "annotation/size/width", within == "annotation/size/height":
			numbers[parents[2]], _ = strconv.ParseFloat(value, 64) // there is no size without them
		case within == "annotation/object/name":
			l := &d.labels[len(d.labels)-1]
			l.Class, l.place = value, place{file, from, to}
		case len(parents) == 4 && strings.HasPrefix(within, "annotation/object/bndbox/"):
			x, err := strconv.ParseFloat(value, 64)
			if numbers[parents[3]] = x; err != nil {
				d.labels[len(d.labels)-1].problem = fmt.Errorf("<%s> is %q, not a number", parents[3], value)
			}
		case within == "annotation/object":
			d.labels[len(d.labels)-1].endVOC(numbers)
		}
		return nil
	})
	return d, err
}

// endVOC sets the box of an object: the corner (1, 1) is the first pixel, and both corners belong to the box.
func (l *drawn) endVOC(corners map[string]float64) {
	var c []float64
	for _, name := range []string{"xmin", "ymin", "xmax", "ymax"} {
		if x, ok := corners[name]; ok {
			c = append(c, x)
		}
	}
	switch {
	case l.problem != nil:
	case l.Class == "":
		l.problem = errors.New("the object has no name")
	case len(c) < 4:
		l.problem = errors.New("the object has no bndbox with xmin, ymin, xmax and ymax")
	default:
		l.Box = Box{Left: c[0] - 1, Top: c[1] - 1, Width: c[2] - c[0] + 1, Height: c[3] - c[1] + 1}
		l.problem = l.Box.check(1)
	}
}

// vocImages finds the images of XML files.
type vocImages struct {
	folders []string
	stems   func() map[string]string // the names of images by their names without an ending
}

// names returns what the image of an XML file is called: as its element filename has it, which may lack the ending, or
// else as the XML file, in a folder of the name of the XML file's or without one. Where several XML files have a
// filename, their own names come first.
func (v vocImages) names(file, filename string, shared bool) []string {
	dir, own := path.Split(strings.TrimSuffix(file, ".xml"))
	if filename == "" {
		filename = own + ".jpg"
	}
	ending := path.Ext(filename)
	bases := []string{filename, own + ending, own}
	if shared {
		bases = []string{own + ending, own, filename}
	}
	for _, base := range append(bases, strings.TrimSuffix(filename, ending)) {
		for _, name := range []string{dir + base, base} {
			if _, ok := imageIn(name, v.folders...); ok {
				return []string{name}
			}
			if found := v.stems()[norm.NFC.String(name)]; found != "" {
				return []string{found}
			}
		}
	}
	return []string{filename}
}

// vocStems returns the names of the images in the folders for them by these names without their endings.
func vocStems(root string) map[string]string {
	names := map[string]string{}
	for _, in := range []string{"data", "images", "JPEGImages"} {
		folder := filepath.Join(root, in)
		images, _ := byStem(folder) // there may be no such folder
		for stem, image := range images {
			if name, err := filepath.Rel(folder, image); err == nil {
				names[stem] = filepath.ToSlash(name)
			}
		}
	}
	return names
}
