package own

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
)

// labelJoin joins images with tables of labels.
type labelJoin struct {
	tree    *imageTree
	images  *labelTable
	names   imageIndex
	from    []string          // the table with each image's label
	missing []dataset.Skipped // rows without an image
}

// add adds a table whose names are relative to a folder of the tree.
func (j *labelJoin) add(table *labelTable, folder string) error {
	places, err := j.places(table, folder)
	if err != nil {
		return fmt.Errorf("%s: %w", table.path, err)
	}
	for row, k := range places {
		switch {
		case k < 0:
			j.missing = append(j.missing, dataset.Skipped{Name: table.ids[row], Why: fmt.Sprintf("%s lists it, but there is "+
				"no such image", table.path)})
		case j.from[k] != "":
			return fmt.Errorf("%s: a second label for %s, which has one in %s", table.path, j.images.ids[k], j.from[k])
		default:
			j.from[k] = table.path
		}
	}
	to := j.images.columns()
	for c, values := range table.columns() {
		if *values != nil && *to[c] == nil {
			*to[c] = make([]string, j.images.n)
		}
		for row, k := range places {
			if *values != nil && k >= 0 {
				(*to[c])[k] = (*values)[row]
			}
		}
	}
	return nil
}

// places returns the image of each row of a table. Without names these are the training images in the
// order of their paths.
func (j *labelJoin) places(table *labelTable, folder string) (order []int, err error) {
	if table.ids != nil {
		return j.find(table.ids, folder)
	}
	if column := j.naming(table.path); column != "" {
		return nil, fmt.Errorf("without --id, labels belong to the images in the order of their paths, but the column %q "+
			"has names of images: use --id %s", column, shell.Word(column))
	}
	if order = j.images.training(); len(order) != table.n {
		return nil, fmt.Errorf("%d labels for %d training images in %s, which are %s in the order of their paths: use a "+
			"table with the columns file_name and label",
			table.n, len(order), j.tree.Path, shorten(dataset.Pick(j.images.ids, order)))
	}
	return order, nil
}

// naming returns a column of a table where most values are names of images, or "".
func (j *labelJoin) naming(file string) string {
	return columnOf(file, func(value string) bool {
		const anyCase = 1
		_, ok := j.names[anyCase].base[j.names.key(anyCase, path.Base(strings.ReplaceAll(value, `\`, "/")))]
		return ok
	})
}

// columnOf returns the first column where most values pass a test, or "".
func columnOf(file string, is func(value string) bool) string {
	r, err := rows.Open(file)
	if err != nil {
		return ""
	}
	defer r.Close()
	found, n := make([]int, len(r.Columns())), 0
	err = r.Each(func(values []string) error {
		n++
		for k, value := range values {
			if is(value) {
				found[k]++
			}
		}
		return nil
	})
	at := slices.IndexFunc(found, func(of int) bool { return 2*of > n })
	if err != nil || at < 0 {
		return ""
	}
	return r.Columns()[at]
}

// find returns the places of images, or -1 for names without an image. Paths may begin above the tree, all by the same
// number of folders. Names without a folder match the names of files.
func (j *labelJoin) find(ids []string, folder string) ([]int, error) {
	names, err := j.relative(ids)
	if err != nil {
		return nil, err
	}
	deepest := 0
	for _, name := range names {
		deepest = max(deepest, strings.Count(name, "/"))
	}
	var best []int
	most := -1
	for above := 0; above <= deepest && most < len(ids); above++ {
		if places, found := j.findBelow(names, above, folder); found > most {
			best, most = places, found
		}
	}
	return best, j.findFiles(names, best)
}

// relative returns names as relative paths that may begin above the tree. Absolute paths in the tree
// become relative to it, others to the root of a file system, perhaps on another machine.
func (j *labelJoin) relative(ids []string) ([]string, error) {
	root, err := filepath.Abs(j.tree.Path)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(ids))
	for row, id := range ids {
		name := path.Clean(strings.ReplaceAll(id, `\`, "/"))
		if inside, ok := strings.CutPrefix(name, filepath.ToSlash(root)+"/"); ok {
			name = inside
		}
		names[row] = strings.TrimPrefix(name, "/")
		if !filepath.IsLocal(names[row]) {
			return nil, fmt.Errorf("%q leads out of the folder of the images: use paths relative to %s", id, j.tree.Path)
		}
	}
	return names, nil
}

// findBelow returns the places of images by their paths without the first folders, and counts them.
func (j *labelJoin) findBelow(names []string, above int, folder string) (places []int, found int) {
	places = slices.Repeat([]int{-1}, len(names))
	for row, name := range names {
		parts := strings.SplitN(name, "/", above+1)
		if len(parts) <= above {
			continue
		}
		for _, in := range []string{folder, j.tree.root, ""} {
			if places[row] = j.names.path(in + parts[above]); places[row] >= 0 {
				found++
				break
			}
		}
	}
	return places, found
}

// findFiles fills in the places for names without a folder, by the names of files.
func (j *labelJoin) findFiles(names []string, places []int) error {
	for row, name := range names {
		if places[row] >= 0 || strings.Contains(name, "/") {
			continue
		}
		switch all := j.names.files(name); len(all) {
		case 0:
		case 1:
			places[row] = all[0]
		default:
			return fmt.Errorf("%q is the name of %d images (%s): use their paths relative to %s",
				name, len(all), shorten(dataset.Pick(j.images.ids, all)), j.tree.Path)
		}
	}
	return nil
}

// done leaves out the images without a label, and returns them and the missing ones with reasons. Training
// images need a label from a table. It is an error if there are more than allowed.
func (j *labelJoin) done(tables string, allowed int) (left []dataset.Skipped, err error) {
	var kept []int
	var none []string
	for k, name := range j.images.ids {
		if j.from[k] == "" && j.images.splits[k] == "train" || j.images.labels[k] == "" {
			none = append(none, name)
			left = append(left, dataset.Skipped{Name: name, Why: "no label in " + tables})
			continue
		}
		kept = append(kept, k)
	}
	if !slices.ContainsFunc(j.from, func(table string) bool { return table != "" }) {
		seen := ""
		if n := len(j.missing); n > 0 {
			seen = j.missing[n-1].Name
		}
		return nil, fmt.Errorf("%s: no label in %s matches an image: names such as %q do not match %s",
			j.tree.Path, tables, seen, shorten(none))
	}
	j.images.pick(kept)
	left = append(j.missing, left...)
	if len(left) <= allowed {
		return left, nil
	}
	return nil, fmt.Errorf("%s: %w: %s: correct them, or leave them out with --max-bad %d", j.tree.Path, errMismatch,
		dataset.ListSkipped(left, shownNames), len(left))
}

var errMismatch = errors.New("labels and images do not match")

// shownNames is the number of examples that an error names.
const shownNames = 3

func shorten(names []string) string { return humanize.Listed(names, shownNames) }

// label gives the images labels from a separate file, from the tables in the tree, or from their folders.
func (t *imageTree) label(ctx context.Context, s Source, allowed int) error {
	if err := picture.TooMany(t.Container, t.Left, allowed); err != nil {
		return err
	}
	inTables := s.Labels != "" || len(t.labels) > 0
	images, _, err := t.place(inTables)
	if err != nil {
		return err
	}
	t.images = images
	if inTables {
		j := &labelJoin{tree: t, images: images, names: indexImages(images.ids), from: make([]string, images.n)}
		t.left, err = j.join(ctx, s, allowed)
	}
	t.left = append(t.left, t.Left...)
	return err
}

// join adds the labels of a file, or of the tables in the tree. See done.
func (j *labelJoin) join(ctx context.Context, s Source, allowed int) (left []dataset.Skipped, err error) {
	if s.Labels != "" {
		table, err := readUploads(s.Labels, s, j.images.ids)
		if err == nil {
			err = j.add(table, j.tree.root)
		}
		if err != nil {
			return nil, err
		}
		return j.done(s.Labels, allowed)
	}
	name := ""
	for _, of := range j.tree.labels {
		r, err := of.open()
		if err != nil {
			return nil, err
		}
		table, err := readLabelColumns(ctx, r, s.columns().withID(r))
		if err != nil {
			return nil, err
		}
		name = filepath.Base(r.Path)
		folder, _ := path.Split(of.name)
		if err := j.add(table, folder); err != nil {
			return nil, err
		}
	}
	return j.done(name, allowed)
}
