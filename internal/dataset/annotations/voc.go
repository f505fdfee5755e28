package annotations

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/files"
)

// Pascal VOC: a folder with an XML file for each image in or below Annotations, and images in JPEGImages. FiftyOne's
// copies use labels and data.
var voc = Entry{
	Name: "voc", Title: "Pascal VOC",
	is:   func(path string) bool { return vocFolder(path) != "" },
	read: readVOC,
}

// vocFolder returns the folder of the XML files, or "".
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

// xmlFiles returns at most most XML files below a folder, or all if most is negative.
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
	users := map[string]int{} // XML files with the same filename in a folder
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
	document, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	root := document.child("annotation")
	size := root.child("size")
	width, _ := strconv.ParseFloat(size.child("width").text, 64) // 0 if missing
	height, _ := strconv.ParseFloat(size.child("height").text, 64)
	d := &drawing{name: root.child("filename").text, size: sizeOf(width, height)}
	for k, object := range root.all("object") {
		name := object.child("name")
		l := drawn{number: fmt.Sprintf("#%d", k+1)}
		l.Class, l.place = name.text, place{file, name.from, name.to}
		l.Box, l.problem = vocBox(object.child("bndbox"))
		if l.Class == "" {
			l.problem = cmp.Or(l.problem, errors.New("the object has no name"))
		}
		d.labels = append(d.labels, l)
	}
	return d, nil
}

// vocBox returns the box of an object: the corner (1, 1) is the first pixel, and both corners belong to the box.
func vocBox(box *element) (Box, error) {
	var c []float64
	for _, name := range []string{"xmin", "ymin", "xmax", "ymax"} {
		for _, corner := range box.all(name) {
			x, err := strconv.ParseFloat(corner.text, 64)
			if err != nil {
				return Box{}, fmt.Errorf("<%s> is %q, want a number", name, corner.text)
			}
			c = append(c, x)
		}
	}
	if len(c) != 4 {
		return Box{}, errors.New("the object needs a bndbox with xmin, ymin, xmax and ymax")
	}
	b := Box{Left: c[0] - 1, Top: c[1] - 1, Width: c[2] - c[0] + 1, Height: c[3] - c[1] + 1}
	return b, b.check(1)
}

// vocImages finds the images for XML files.
type vocImages struct {
	folders []string
	stems   func() map[string]string // names of images by their names without endings
}

// names returns the possible names of an XML file's image: its element filename, which may lack an ending, then the
// name of the XML file, each with the XML file's folder or without. If several XML files have the same filename,
// their own names come first.
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

// vocStems returns the names of the images by these names without endings.
func vocStems(root string) map[string]string {
	names := map[string]string{}
	for _, in := range []string{"data", "images", "JPEGImages"} {
		images, _ := byStem(filepath.Join(root, in)) // the folder may be missing
		maps.Copy(names, images)
	}
	return names
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
