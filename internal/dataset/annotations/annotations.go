// Package annotations reads the files of label tools: the classes of images and of boxes in
// images. [Read] takes a path and returns a [Set]; [Set.Write] writes the files again with other
// classes, and leaves all other bytes as they were. Each format has one file here, with its
// entry in [All].
package annotations

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
)

// Entry is a format of annotations.
type Entry struct {
	Name  string
	Title string // its name for people
	// is reports whether a path holds this format, without reading everything.
	is   func(path string) bool
	read func(path string) (*Set, error)
}

// String returns the format's name.
func (e Entry) String() string { return e.Name }

// All are the formats.
var All = table.Of[Entry]{coco, cvat, voc, yolo}

// Of returns the format of the annotations at a path, and whether there are any.
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
	Name  string      // of the example: the image's name, and for a box # and its number
	Image string      // path of the image's file
	Box   Box         // zero for the whole image
	Of    image.Point // size of the image in the file; zero if unknown
	Class string
	place place
}

// In returns the pixels of a label's box, scaled to an image of the given size.
func (l Label) In(width, height int) image.Rectangle {
	box := l.Box
	if l.Of != (image.Point{}) && !box.Shares {
		box = box.scaled(float64(width)/float64(l.Of.X), float64(height)/float64(l.Of.Y))
	}
	return box.In(width, height)
}

// place is the position of a class: bytes of a file.
type place struct {
	file     string
	from, to int
}

// Set is the content of a file or folder of annotations.
type Set struct {
	Path   string
	Labels []Label
	// Left are the unusable labels.
	Left []dataset.Skipped

	texts  map[string][]byte            // the files' contents by path
	write  func(string) (string, error) // converts a class to the format of its place
	points int                          // how many numbers the key points of a YOLO box have
	folder string                       // the root of the files' names in a copy; "" for a single file
}

// Read reads annotations. Errors name the file and the place.
func Read(path string) (*Set, error) {
	form, ok := Of(path)
	if !ok {
		return nil, fmt.Errorf("%s has no annotations in a known format: use one of "+
			"%s", path, strings.Join(All.Names(), ", "))
	}
	s, err := form.read(path)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", path, form.Title, err)
	}
	if len(s.Labels) == 0 && len(s.Left) > 0 {
		return nil, fmt.Errorf("%s (%s): none of the %d labels can be used: %s", path, form.Title, len(s.Left), s.Left[0])
	}
	if len(s.Labels) == 0 {
		return nil, fmt.Errorf("%s (%s): no image or box with a class", path, form.Title)
	}
	s.Path = path
	seen := make(map[string]bool, len(s.Labels))
	for _, l := range s.Labels {
		if seen[l.Name] {
			return nil, fmt.Errorf("%s (%s): %s is listed twice, the second time in %s", path, form.Title, l.Name,
				filepath.Base(l.place.file))
		}
		seen[l.Name] = true
	}
	for k, l := range s.Left {
		s.Left[k].Name = unique(seen, l.Name)
	}
	return s, nil
}

// Write writes the annotations with other classes, by the names of the examples, to a new file
// or, if there are several files, to a new folder.
func (s *Set) Write(out string, classes map[string]string) error {
	if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("%s exists: choose another name", out)
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
				return fmt.Errorf("%s and %s share one label in %s, but have two classes: give both the same "+
					"class", other.Name, l.Name, file)
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

// replaced returns a text with new classes at the places of labels, which are in order.
func replaced(text []byte, labels []Label) []byte {
	var out []byte
	at := 0
	for _, l := range labels {
		out = append(append(out, text[at:l.place.from]...), l.Class...)
		at = l.place.to
	}
	return append(out, text[at:]...)
}

// numberOf returns the number of a class as text.
func numberOf(class string, names map[int]string) (string, error) {
	var all []int
	for number, name := range names {
		if Key(name) == class {
			all = append(all, number)
		}
	}
	slices.Sort(all)
	switch len(all) {
	case 0:
		return "", fmt.Errorf("unknown class %q", class)
	case 1:
		return strconv.Itoa(all[0]), nil
	}
	return "", fmt.Errorf("the class numbers %s share the name %q: rename one", humanize.Ranges(all), class)
}

// imageIn returns the path of an image with a name relative to one of the folders.
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

// around returns the folders beside and above a file of annotations that may have its images.
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
