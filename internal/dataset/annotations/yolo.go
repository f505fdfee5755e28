package annotations

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/losscorr/losscorr/internal/files"
)

// Ultralytics' YOLO: a YAML file with the names of the classes and, for train and val, the folders of
// the images or lists of their paths. The boxes of images/NAME.jpg are in labels/NAME.txt; without a
// folder images, NAME.txt is beside the image. Each line has a class number, then the centre, width and
// height as shares of the image and the key points of a pose, or the corners of a polygon.
var yolo = Entry{
	Name: "yolo", Title: "YOLO",
	is: func(path string) bool {
		named := func(head []byte) bool { return bytes.Contains(head, []byte("names:")) }
		return begins(path, ".yaml", named) || begins(path, ".yml", named)
	},
	read: readYOLO,
}

// yoloFile is the used part of the YAML file.
type yoloFile struct {
	Path  string    `yaml:"path"`
	Train yaml.Node `yaml:"train"`
	Val   yaml.Node `yaml:"val"`
	Names yaml.Node `yaml:"names"`

	KeyPoints []int `yaml:"kpt_shape"` // of a pose data set: number of points, and numbers in each
}

func readYOLO(path string) (*Set, error) {
	text, err := load(path)
	if err != nil {
		return nil, err
	}
	var y yoloFile
	if err := yaml.Unmarshal(text, &y); err != nil {
		return nil, err
	}
	names, err := yoloNames(y.Names)
	if err != nil {
		return nil, err
	}
	beside := filepath.Dir(path)
	root := y.Path
	if !filepath.IsAbs(root) {
		root = filepath.Join(beside, root)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		root = beside // the file has moved with its folder
	}
	s := &Set{texts: map[string][]byte{}, folder: root}
	if len(y.KeyPoints) == 2 {
		s.points = y.KeyPoints[0] * y.KeyPoints[1]
	}
	s.write = func(class string) (string, error) { return numberOf(class, names) }
	var images []string
	for _, split := range []yaml.Node{y.Train, y.Val} {
		more, err := yoloImages(split, root, beside)
		if err != nil {
			return nil, err
		}
		images = append(images, more...)
	}
	slices.Sort(images)
	for _, image := range slices.Compact(images) {
		if err := s.addYOLO(root, image, names); err != nil {
			return nil, err
		}
	}
	for file := range s.texts {
		for !within(s.folder, file) { // in a copy its path would lead outside
			s.folder = filepath.Dir(s.folder)
		}
	}
	return s, nil
}

// yoloNames returns the classes by number, from a list or a map.
func yoloNames(node yaml.Node) (map[int]string, error) {
	names := map[int]string{}
	var list []string
	err := node.Decode(&list)
	if err != nil {
		err = node.Decode(&names)
	}
	for number, name := range list {
		names[number] = name
	}
	if err != nil || len(names) == 0 {
		return nil, errors.New("names is neither a list of classes nor a map from numbers to classes")
	}
	return names, nil
}

// yoloImages lists the images of a split, from folders or lists. A path is relative to the first of some
// folders that has it.
func yoloImages(node yaml.Node, folders ...string) (images []string, err error) {
	var places []string
	if node.IsZero() {
		return nil, nil
	}
	if err := node.Decode(&places); err != nil {
		places = []string{node.Value}
	}
	for _, at := range places {
		at = yoloPath(at, folders...)
		info, err := os.Stat(at)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			err = files.Walk(at, func(name string, info fs.FileInfo) error {
				if !info.IsDir() && yoloImage(name) {
					images = append(images, filepath.Join(at, filepath.FromSlash(name)))
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		case yoloImage(at):
			images = append(images, at)
		default:
			list, err := load(at)
			if err != nil {
				return nil, err
			}
			around := append(slices.Clip(folders), filepath.Dir(at))
			for line := range strings.Lines(strings.TrimPrefix(string(list), "\ufeff")) {
				if line = strings.TrimSpace(line); line != "" {
					images = append(images, yoloPath(line, around...))
				}
			}
		}
	}
	return images, nil
}

// yoloImage reports whether a file is an image by its name, including Ultralytics' three further
// endings.
func yoloImage(name string) bool {
	return files.IsImage(name) || slices.Contains([]string{".dng", ".mpo", ".pfm"}, strings.ToLower(filepath.Ext(name)))
}

// yoloPath resolves a path relative to folders. If it does not exist, it tries slashes for backslashes
// and other forms of Unicode. Roboflow's ../train/images is train/images beside data.yaml.
func yoloPath(at string, folders ...string) string {
	if filepath.IsAbs(at) {
		return at
	}
	slashes := strings.ReplaceAll(at, `\`, "/")
	for _, name := range []string{at, slashes, strings.TrimPrefix(slashes, "../")} {
		for _, folder := range folders {
			if path, ok := find(folder, name); ok {
				return path
			}
		}
	}
	return filepath.Join(folders[0], slashes)
}

// within reports whether a file is below a folder.
func within(folder, file string) bool {
	rel, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(rel)
}

// labelsOf returns the file of an image's boxes: the last folder images in its path becomes labels.
func labelsOf(image string) string {
	stem := strings.TrimSuffix(image, filepath.Ext(image)) + ".txt"
	sep := string(filepath.Separator)
	at := strings.LastIndex(stem, sep+"images"+sep)
	if at < 0 {
		return stem
	}
	return stem[:at] + sep + "labels" + stem[at+len(sep+"images"):]
}

// addYOLO adds the boxes of one image.
func (s *Set) addYOLO(root, image string, names map[int]string) error {
	name, err := filepath.Rel(root, image)
	if err != nil {
		name = filepath.Base(image)
	}
	file, ok := find("", labelsOf(image))
	if !ok { // an image without objects
		if !isFile(image) {
			s.skip(nameOf(name, ""), errors.New("the image is missing"))
		}
		return nil
	}
	text, err := load(file)
	if err != nil {
		return err
	}
	s.texts[file] = text
	d, at := &drawing{names: []string{name}, name: name, path: image}, 0
	for k, line := range bytes.SplitAfter(text, []byte("\n")) {
		fields := bytes.Fields(line)
		if len(fields) > 0 {
			l, problem := yoloLabel(fields, names, s.points)
			from := at + bytes.Index(line, fields[0])
			l.place = place{file, from, from + len(fields[0])}
			s.add(d, drawn{l, fmt.Sprintf("#%d", k+1), problem}, nil)
		}
		at += len(line)
	}
	return nil
}

// yoloLabel parses one line: a class with a box or a polygon, or a box with the numbers of its key
// points.
func yoloLabel(fields [][]byte, names map[int]string, points int) (Label, error) {
	number, err := strconv.Atoi(string(fields[0]))
	if err != nil || names[number] == "" {
		return Label{}, fmt.Errorf("unknown class number %q", fields[0])
	}
	values := make([]float64, len(fields)-1)
	for k, field := range fields[1:] {
		if values[k], err = strconv.ParseFloat(string(field), 64); err != nil {
			return Label{}, fmt.Errorf("%q is not a number", field)
		}
	}
	l := Label{Class: names[number]}
	switch {
	case len(values) == 4 || points > 0 && len(values) == 4+points:
		l.Box = Box{values[0] - values[2]/2, values[1] - values[3]/2, values[2], values[3], true}
	case points > 0:
		return Label{}, fmt.Errorf("%d numbers after the class, want 4 for a box, or %d with the key points of kpt_shape",
			len(values), 4+points)
	case len(values) >= 6 && len(values)%2 == 0:
		l.Box, err = enclosing(values)
		l.Box.Shares = true
	default:
		return Label{}, fmt.Errorf("%d numbers after the class, want 4 for a box or the corners of a polygon", len(values))
	}
	if err == nil {
		err = l.Box.check(0)
	}
	return l, err
}
