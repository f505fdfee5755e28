package dataset

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// labelJoin gives images the labels of tables.
type labelJoin struct {
	tree    *imageTree
	images  []ownImage
	path    map[string]int   // the place of an image
	base    map[string][]int // the places of the images of a file name
	from    []string         // the table that has the label of an image
	missing []string         // the examples of tables that have no image, with the table
	seen    string           // one of them
	matched bool
}

func newLabelJoin(t *imageTree, images []ownImage) *labelJoin {
	j := &labelJoin{tree: t, images: images, from: make([]string, len(images))}
	j.path, j.base = make(map[string]int, len(images)), make(map[string][]int, len(images))
	for k, image := range images {
		j.path[image.name] = k
		j.base[path.Base(image.name)] = append(j.base[path.Base(image.name)], k)
	}
	return j
}

// add takes the rows of a table whose names are relative to a folder of the tree.
func (j *labelJoin) add(table *labelTable, folder string) error {
	order, err := j.order(table)
	if err != nil {
		return err
	}
	for row, label := range table.labels {
		var k int
		if table.ids == nil {
			k = order[row]
		} else if k, err = j.find(table.ids[row], folder); err != nil {
			return fmt.Errorf("%s: %w", table.path, err)
		}
		if k < 0 {
			j.seen = table.ids[row]
			j.missing = append(j.missing, fmt.Sprintf("%s: no image of this name, which %s has", table.ids[row], table.path))
			continue
		}
		image := &j.images[k]
		if j.from[k] != "" {
			return fmt.Errorf("%s: a second label of %s, which has one in %s", table.path, image.name, j.from[k])
		}
		j.from[k], j.matched = table.path, true
		image.label = label
		if table.splits != nil {
			image.split = table.splits[row]
		}
		if table.truths != nil {
			image.truth = table.truths[row]
		}
		if table.groups != nil {
			image.group = table.groups[row]
		}
		if table.trusted != nil {
			image.trusted = table.trusted[row]
		}
	}
	return nil
}

// order returns the images that the rows of a table without names belong to: those of
// the training set, in the order of their paths.
func (j *labelJoin) order(table *labelTable) (order []int, err error) {
	if table.ids != nil {
		return nil, nil
	}
	for k, image := range j.images {
		if image.split == "train" {
			order = append(order, k)
		}
	}
	if len(order) != len(table.labels) {
		return nil, fmt.Errorf("%d labels in %s and %d training images in %s, which are %s in the order of their paths: give a table with the columns file_name and label",
			len(table.labels), table.path, len(order), j.tree.path, shorten(pickNames(j.images, order)))
	}
	return order, nil
}

func pickNames(images []ownImage, rows []int) []string {
	names := make([]string, len(rows))
	for k, row := range rows {
		names[k] = images[row].name
	}
	return names
}

// find returns the place of an image by its path, which may begin above the tree, or,
// of a name without a folder, by the name of its file. It is -1 if no image has the name.
func (j *labelJoin) find(id, folder string) (int, error) {
	name := path.Clean(strings.ReplaceAll(id, `\`, "/"))
	if !filepath.IsLocal(name) {
		return -1, fmt.Errorf("%q leads out of the folder of the images: give paths relative to %s", id, j.tree.path)
	}
	for rest, more := name, true; more; _, rest, more = strings.Cut(rest, "/") {
		for _, in := range []string{folder, j.tree.root, ""} {
			if k, ok := j.path[in+rest]; ok {
				return k, nil
			}
		}
	}
	if strings.Contains(name, "/") {
		return -1, nil
	}
	switch all := j.base[name]; len(all) {
	case 0:
		return -1, nil
	case 1:
		return all[0], nil
	default:
		return -1, fmt.Errorf("%q is the name of %d images (%s): give their paths relative to %s", id, len(all), shorten(pickNames(j.images, all)), j.tree.path)
	}
}

// done returns the images that have a label, and the others and the missing ones with
// reasons. Images of the training set need one of a table. It is an error if there are
// more of them than allowed.
func (j *labelJoin) done(tables string, allowed int) (images []ownImage, left []string, err error) {
	var none []string
	for k, image := range j.images {
		if j.from[k] == "" && image.split == "train" || image.label == "" {
			none = append(none, image.name)
			left = append(left, fmt.Sprintf("%s: no label in %s", image.name, tables))
			continue
		}
		images = append(images, image)
	}
	if !j.matched {
		return nil, nil, fmt.Errorf("%s: no label of %s is that of an image: it has names such as %q, images are %s", j.tree.path, tables, j.seen, shorten(none))
	}
	left = append(left, j.missing...)
	if len(left) <= allowed {
		return images, left, nil
	}
	var texts []string
	if len(j.missing) > 0 {
		texts = append(texts, fmt.Sprintf("%d labels in %s have no image (%s)", len(j.missing), tables, shorten(namesOf(j.missing))))
	}
	if len(none) > 0 {
		texts = append(texts, fmt.Sprintf("%d images have no label (%s)", len(none), shorten(none)))
	}
	return nil, nil, fmt.Errorf("%s: %w: %s: correct them, or leave them out with --max-bad %d",
		j.tree.path, errMismatch, strings.Join(texts, ", and "), len(left))
}

var errMismatch = errors.New("labels and images do not match")

// namesOf cuts the reasons off.
func namesOf(bad []string) []string {
	names := make([]string, len(bad))
	for k, line := range bad {
		names[k], _, _ = strings.Cut(line, ": ")
	}
	return names
}

// shorten lists the first three names.
func shorten(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:3], ", ") + ", ..."
}

// labelImages gives the images of a tree their labels: those of a file, of the tables in
// it, or of their folders.
func labelImages(t *imageTree, file string, s Source, allowed int) (images []ownImage, left []string, err error) {
	images, err = t.place(file != "" || len(t.metadata) > 0)
	if err != nil || file == "" && len(t.metadata) == 0 {
		return images, nil, err
	}
	j := newLabelJoin(t, images)
	if file != "" {
		table, err := readLabelTable(file, s)
		if err != nil {
			return nil, nil, err
		}
		if err := j.add(table, t.root); err != nil {
			return nil, nil, err
		}
		return j.done(file, allowed)
	}
	folders := make([]string, 0, len(t.metadata))
	for folder := range t.metadata {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		name := filepath.Join(t.path, folder, metadataFile)
		table, err := parseLabelTable(name, t.metadata[folder], s)
		if err != nil {
			return nil, nil, err
		}
		if err := j.add(table, folder); err != nil {
			return nil, nil, err
		}
	}
	return j.done(metadataFile, allowed)
}
