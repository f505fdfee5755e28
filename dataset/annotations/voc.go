package annotations

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// Pascal VOC: a folder with Annotations/*.xml, one for each image, and the images in JPEGImages;
// of FiftyOne, labels/*.xml and data.
var voc = Entry{
	Name: "voc", Title: "Pascal VOC",
	is:   func(path string) bool { return len(vocFiles(path)) > 0 },
	read: readVOC,
}

func vocFiles(path string) []string {
	all := files.Glob(path, "Annotations/*.xml")
	if info, err := os.Stat(filepath.Join(path, "data")); len(all) == 0 && err == nil && info.IsDir() {
		all = files.Glob(path, "labels/*.xml")
	}
	return all
}

func readVOC(path string) (*Set, error) {
	s := &Set{texts: map[string][]byte{}, write: escaped, folder: path}
	for _, file := range vocFiles(path) {
		if err := s.addVOC(path, file); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	return s, nil
}

// addVOC adds the objects of one image.
func (s *Set) addVOC(root, file string) error {
	text, err := load(file)
	if err != nil {
		return err
	}
	s.texts[file] = text
	image := ""
	var labels []Label
	corners := map[string]float64{}
	err = walkXML(text, func(path []string, begin *element, value string, from, to int) error {
		within := path[len(path)-1]
		switch {
		case begin != nil && slices.Equal(path, []string{"annotation", "object"}):
			labels = append(labels, Label{})
			clear(corners)
		case begin != nil:
		case slices.Equal(path, []string{"annotation", "filename"}):
			image = value
		case slices.Equal(path, []string{"annotation", "object", "name"}):
			l := &labels[len(labels)-1]
			l.Class, l.place = value, place{file, from, to}
		case len(path) == 4 && path[2] == "bndbox":
			if corners[within], err = strconv.ParseFloat(value, 64); err != nil {
				return fmt.Errorf("<%s> %q is no number", within, value)
			}
		case slices.Equal(path, []string{"annotation", "object"}):
			l := &labels[len(labels)-1]
			if l.Class == "" || len(corners) < 4 {
				return fmt.Errorf("object %d has no name, or no bndbox of four numbers", len(labels))
			}
			// The corner (1, 1) is the first pixel, and both corners belong to the box.
			l.Box = Box{corners["xmin"] - 1, corners["ymin"] - 1, corners["xmax"] - corners["xmin"] + 1, corners["ymax"] - corners["ymin"] + 1, false}
		}
		return nil
	})
	if err != nil {
		return err
	}
	folders := []string{filepath.Join(root, "JPEGImages"), root, filepath.Join(root, "images"), filepath.Join(root, "data"), filepath.Join(root, "Annotations")}
	if image == "" {
		image = strings.TrimSuffix(filepath.Base(file), ".xml") + ".jpg"
	}
	at, ok := imageIn(image, folders...)
	for k, l := range labels {
		l.Name, l.Image = nameOf(image, fmt.Sprintf("#%d", k+1)), at
		if !ok {
			s.Left = append(s.Left, missing(l.Name, image, folders))
			continue
		}
		s.Labels = append(s.Labels, l)
	}
	return nil
}
