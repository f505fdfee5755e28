// Package annotations reads the files in which tools for labelling keep the classes of images
// and of boxes in them, and writes these files again with other classes. All other bytes stay as
// they were. A form is a file with its entry in [All].
package annotations

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// Entry is a form of annotations.
type Entry struct {
	Name  string
	Title string // what people call it
	// is reports whether a path holds such annotations, without reading them whole.
	is   func(path string) bool
	read func(path string) (*Set, error)
}

// String returns the form's name.
func (e Entry) String() string { return e.Name }

// All are the forms.
var All = table.Of[Entry]{coco, cvat, fiftyone, voc, yolo}

// Of returns the form of what lies at a path, and whether it is one of annotations.
func Of(path string) (Entry, bool) {
	if path == "" {
		return Entry{}, false
	}
	if at := slices.IndexFunc(All, func(e Entry) bool { return e.is(path) }); at >= 0 {
		return All[at], true
	}
	return Entry{}, false
}

// Label is the class of an image, or of a box in it.
type Label struct {
	Name  string      // of the example: the image's, for a box with # and its number
	Image string      // path of the image's file
	Box   Box         // zero for the whole image
	Of    image.Point // size of the image that the box was drawn on; zero where the file has none
	Class string
	place place
}

// In returns the pixels of a label's box in an image of a size, to which the box is scaled.
func (l Label) In(width, height int) image.Rectangle {
	box := l.Box
	if l.Of != (image.Point{}) && !box.Shares {
		box = box.scaled(float64(width)/float64(l.Of.X), float64(height)/float64(l.Of.Y))
	}
	return box.In(width, height)
}

// place is where a class stands: bytes of a file.
type place struct {
	file     string
	from, to int
}

// Set is what a file or a folder of annotations holds.
type Set struct {
	Path   string
	Labels []Label
	// Left are the labels that cannot be used.
	Left []dataset.Skipped

	texts  map[string][]byte            // the content of the files of annotations
	write  func(string) (string, error) // a class as its place has it
	points int                          // the numbers of the key points of a box of YOLO
	folder string                       // what the names of files are relative to in a copy; "" where there is one file
}

// Read reads annotations. The error says which file is wrong, and where.
func Read(path string) (*Set, error) {
	form, ok := Of(path)
	if !ok {
		return nil, fmt.Errorf("%s holds no annotations of a form that is known: %s", path, strings.Join(All.Names(), ", "))
	}
	s, err := form.read(path)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", path, form.Title, err)
	}
	if len(s.Labels) == 0 && len(s.Left) > 0 {
		return nil, fmt.Errorf("%s (%s): %d labels, none of which can be used: %s", path, form.Title, len(s.Left), s.Left[0])
	}
	if len(s.Labels) == 0 {
		return nil, fmt.Errorf("%s (%s): no image or box with a class", path, form.Title)
	}
	s.Path = path
	seen := make(map[string]bool, len(s.Labels))
	for _, l := range s.Labels {
		if seen[l.Name] {
			return nil, fmt.Errorf("%s (%s): %s is there twice, the second time in %s", path, form.Title, l.Name,
				filepath.Base(l.place.file))
		}
		seen[l.Name] = true
	}
	for k, l := range s.Left {
		s.Left[k].Name = unique(seen, l.Name)
	}
	return s, nil
}

// Write writes the annotations with other classes, by the names of the examples: to a file, or
// to a folder where they are several files. It refuses to replace what is there.
func (s *Set) Write(out string, classes map[string]string) error {
	if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("%s is there: choose another name", out)
	}
	changed := make(map[string][]Label)
	for _, l := range s.Labels {
		if class, ok := classes[l.Name]; ok && class != l.Class {
			text, err := s.write(class)
			if err != nil {
				return fmt.Errorf("%s: %w", l.Name, err)
			}
			l.Class = text
			changed[l.place.file] = append(changed[l.place.file], l)
		}
	}
	for file, labels := range changed {
		slices.SortFunc(labels, func(a, b Label) int { return a.place.from - b.place.from })
		for k, l := range labels[1:] {
			if other := labels[k]; other.place == l.place && other.Class != l.Class {
				return fmt.Errorf("%s and %s have one label in %s, and two classes: decide both alike", other.Name, l.Name, file)
			}
		}
		changed[file] = slices.CompactFunc(labels, func(a, b Label) bool { return a.place == b.place })
	}
	for file, text := range s.texts {
		to := out
		if s.folder != "" {
			rel, err := filepath.Rel(s.folder, file)
			if err != nil {
				return err
			}
			to = filepath.Join(out, rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
		}
		if err := files.Write(to, replaced(text, changed[file]), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// replaced returns a text with the classes of labels at their places, which are in order.
func replaced(text []byte, labels []Label) []byte {
	var out []byte
	at := 0
	for _, l := range labels {
		out = append(append(out, text[at:l.place.from]...), l.Class...)
		at = l.place.to
	}
	return append(out, text[at:]...)
}

// imageIn returns the path of an image whose name is relative to the folder of a file of
// annotations or to one beside or above it.
func imageIn(name string, folders ...string) (path string, found bool) {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		folders = []string{""}
	}
	for _, folder := range folders {
		if path, ok := find(folder, name); ok && isFile(path) {
			return path, true
		}
	}
	return "", false
}

// around are the folders in which the images of a file of annotations may lie.
func around(file string) []string {
	dir := filepath.Dir(file)
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	split := strings.TrimPrefix(name, "instances_") // as in COCO's own files
	var out []string
	for _, base := range []string{dir, filepath.Dir(dir)} {
		out = append(out, base, filepath.Join(base, "images"), filepath.Join(base, "data"), filepath.Join(base, split),
			filepath.Join(base, "images", split))
	}
	return out
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
