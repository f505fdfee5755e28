package annotations

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
)

// drawing is an image in a file of annotations.
type drawing struct {
	names      []string // possible names of its file, likeliest first
	size       image.Point
	name, path string // of the file, if found
	labels     []drawn
	problem    error // why none of its labels can be used
}

// drawn is a label before its image is located.
type drawn struct {
	Label
	number  string // suffix of its name after the image's
	problem error  // why it cannot be used
}

// sizeOf returns the size of an image; zero if unknown.
func sizeOf(width, height float64) image.Point {
	if p := image.Pt(clamp(width), clamp(height)); p.X > 0 && p.Y > 0 {
		return p
	}
	return image.Point{}
}

// add adds a label of an image that has been located in folders.
func (s *Set) add(d *drawing, l drawn, folders []string) {
	name := d.names[0]
	if d.path != "" {
		name = d.name
	}
	l.Name, l.Image, l.Of = nameOf(name, l.number), d.path, d.size
	switch {
	case d.path == "":
		s.skip(l.Name, fmt.Errorf("the image %s is not in %s", name, strings.Join(folders[:min(3, len(folders))], ", ")))
	case l.problem != nil:
		s.skip(l.Name, l.problem)
	default:
		s.Labels = append(s.Labels, l.Label)
	}
}

func (s *Set) skip(name string, why error) {
	s.Left = append(s.Left, dataset.Skipped{Name: name, Why: why.Error()})
}

// addAll locates images in folders, and adds their labels.
func (s *Set) addAll(drawings []*drawing, folders []string) {
	locate(drawings, folders)
	for _, d := range drawings {
		for _, l := range d.labels {
			s.add(d, l, folders)
		}
	}
}

// locate finds the files of images by their likeliest names, then by their other names, then by the
// longest end of a path that exists and belongs to no other image.
func locate(drawings []*drawing, folders []string) {
	owner, shared := map[string]string{}, map[string]bool{}
	var elsewhere []*drawing
	for _, d := range drawings {
		if !d.find(d.names[:1], folders) {
			elsewhere = append(elsewhere, d)
			d.find(append(d.names[1:], ends(d.names)...), folders)
		}
		name, taken := owner[d.path]
		shared[d.path] = shared[d.path] || taken && name != d.names[0]
		owner[d.path] = d.names[0]
	}
	for _, d := range elsewhere {
		if shared[d.path] {
			d.path = ""
		}
	}
}

// find looks for a file with one of some names.
func (d *drawing) find(names, folders []string) (found bool) {
	for _, d.name = range names {
		if d.path, found = imageIn(d.name, folders...); found {
			return true
		}
	}
	return false
}

// ends returns the ends of paths with / or \, longest first for each path.
func ends(paths []string) (all []string) {
	for _, path := range paths {
		path = strings.ReplaceAll(filepath.ToSlash(path), `\`, "/")
		for found := true; found; {
			all = append(all, strings.TrimLeft(path, "/"))
			_, path, found = strings.Cut(path, "/")
		}
	}
	return all
}

// unique returns a name, with a number added if it is taken, and takes it.
func unique(taken map[string]bool, name string) string {
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	taken[free] = true
	return free
}
