package annotations

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
)

// drawing is an image as a file of annotations describes it.
type drawing struct {
	names      []string // what its file may be called, the likeliest first
	size       image.Point
	name, path string // of the file, where there is one
	labels     []drawn
}

// drawn is a label before its image has been looked for.
type drawn struct {
	Label
	number  string // follows the image's name in its own name
	problem error  // why it cannot be used
}

// sizeOf is the size of an image; zero without one.
func sizeOf(width, height float64) image.Point {
	if p := image.Pt(clamp(width), clamp(height)); p.X > 0 && p.Y > 0 {
		return p
	}
	return image.Point{}
}

// add adds the labels of images that have been located in folders.
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

// locate finds the files of images. If none has the likeliest name, the others count, and then the longest
// end of a path that there is, if no other image has this file.
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

// find looks for a file of one of some names.
func (d *drawing) find(names, folders []string) (found bool) {
	for _, d.name = range names {
		if d.path, found = imageIn(d.name, folders...); found {
			return true
		}
	}
	return false
}

// ends returns the ends of paths of any system, the longest of each first.
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

// unique returns a name that is not taken yet, with a number where it is, and takes it.
func unique(taken map[string]bool, name string) string {
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	taken[free] = true
	return free
}
