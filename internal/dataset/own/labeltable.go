package own

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
)

// labelTable is everything about examples except their content. Each column is in the order of the rows, or nil if
// the file lacks it.
type labelTable struct {
	path    string
	n       int      // rows
	ids     []string // unique
	labels  []string // "" if missing; whole numbers have no decimal point
	splits  []string // train or test
	truths  []string // "" if unknown
	trusted []string // "1" if the label is known to be right, else ""
	groups  []string // "" for examples without a group
	byRow   bool     // the names are row numbers

	labelsPath string // the separate file of labels; "" if it is path
}

// training returns the rows of the training set.
func (t *labelTable) training() (rows []int) {
	for k := range t.n {
		if t.splits == nil || t.splits[k] == "train" {
			rows = append(rows, k)
		}
	}
	return rows
}

// pick keeps some rows, in the given order.
func (t *labelTable) pick(rows []int) {
	t.n, t.ids = len(rows), dataset.Pick(t.ids, rows)
	for _, c := range t.columns() {
		*c = dataset.Pick(*c, rows)
	}
}

// columns returns all columns except the names.
func (t *labelTable) columns() []*[]string {
	return []*[]string{&t.labels, &t.splits, &t.truths, &t.trusted, &t.groups}
}

// keep keeps the rows with some names, in the order of names.
func (t *labelTable) keep(names []string) {
	if len(names) == t.n {
		return
	}
	var rows []int
	for k, name := range t.ids {
		if len(rows) < len(names) && name == names[len(rows)] {
			rows = append(rows, k)
		}
	}
	t.pick(rows)
}

// ReadLabels reads the labels of a table with the columns id and label, by the names of
// the examples.
func ReadLabels(path string) (labels map[string]string, err error) {
	defer within("labels", &err)
	t, err := readLabelTable(path, Source{ID: "id", Label: "label"})
	if err != nil {
		return nil, err
	}
	if t.ids == nil {
		return nil, fmt.Errorf("%s: no names of examples: want a table with the columns id and label", path)
	}
	labels = make(map[string]string, len(t.ids))
	for k, id := range t.ids {
		labels[id] = norm.NFC.String(t.labels[k])
	}
	_, left := t.labelled(nil)
	return labels, complete(path, left)
}

// labelColumns are the names of a labelTable's columns in a file, "" for columns to skip.
type labelColumns struct {
	id, label, split, truth, trusted, group string
}

func (s Source) columns() labelColumns {
	return labelColumns{id: s.ID, label: cmp.Or(s.Label, "label"), split: s.Split, truth: s.Truth, trusted: s.Trusted,
		group: s.Group}
}

// readLabelTable reads a file of labels: a table with the Source's columns, or an NPY or text file with only labels.
// Without Source.ID, the examples' names are in a column file_name or id, if there is one.
func readLabelTable(path string, s Source) (*labelTable, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case ending == ".npy":
		return readLabelArray(path)
	case ending == ".txt":
		return readLabelLines(path)
	case !rows.Is(path):
		return nil, fmt.Errorf("%s: unknown ending for a file of labels: want %s, .npy, or .txt with one label per "+
			"line", path, rows.Endings)
	}
	r, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readLabelColumns(context.Background(), r, s.columns().withID(r))
}

// usualIDs are the default columns for the names of examples.
var usualIDs = []string{"file_name", "id"}

// OtherNames returns a usual column of names in a table whose examples are named by row numbers, if its values are
// unique and not these numbers. Otherwise, and if the table cannot be read, it returns "".
func (s Source) OtherNames() string {
	if s.ID != "" || s.Labels != "" || !rows.Is(s.Path) {
		return ""
	}
	r, err := rows.Open(s.Path)
	if err != nil {
		return ""
	}
	defer r.Close()
	column := s.columns().withID(r).id
	t, err := readLabelColumns(context.Background(), r, labelColumns{id: column})
	if err != nil {
		return ""
	}
	for k, name := range t.ids {
		if name != strconv.Itoa(k) {
			return column
		}
	}
	return ""
}

// withID fills in the column of the examples' names.
func (c labelColumns) withID(r *rows.Reader) labelColumns {
	c.id = cmp.Or(c.id, firstOf(r.Columns(), usualIDs...))
	return c
}

// firstOf returns the first of the names that is in the list, or "".
func firstOf(list []string, names ...string) string {
	for _, name := range names {
		if slices.Contains(list, name) {
			return name
		}
	}
	return ""
}

// roles returns the role of each column by its name.
func (c labelColumns) roles() map[string]string {
	roles := map[string]string{c.id: "names", c.label: "labels", c.split: "splits", c.truth: "true labels",
		c.trusted: "trusted labels", c.group: "groups"}
	delete(roles, "")
	return roles
}

// column is a column of a table, and a function that takes its values.
type column struct {
	name string
	add  func(value string) error
}

// readLabelColumns reads the named columns of c and more, for all rows.
func readLabelColumns(ctx context.Context, r *rows.Reader, c labelColumns, more ...column) (t *labelTable, err error) {
	t = &labelTable{path: r.Path}
	kept := texts{}
	var columns []column
	for _, c := range []struct {
		name string
		to   *[]string
		read func(value string) (string, error)
	}{
		{c.id, &t.ids, differentNames(r)},
		{c.label, &t.labels, kept.label},
		{c.split, &t.splits, readSplit},
		{c.truth, &t.truths, kept.class},
		{c.trusted, &t.trusted, readFlag},
		{c.group, &t.groups, func(v string) (string, error) { return kept.once(v), nil }},
	} {
		if c.name != "" {
			columns = append(columns, column{c.name, func(v string) error {
				v, err := c.read(v)
				*c.to = append(*c.to, v)
				return err
			}})
		}
	}
	t.n, err = readColumns(ctx, r, append(columns, more...))
	if err == nil && t.n == 0 {
		err = fmt.Errorf("%s has no rows", r.Path)
	}
	return t, err
}

// readColumns reads columns for all rows, and counts the rows. columns may have a column twice.
func readColumns(ctx context.Context, r *rows.Reader, columns []column) (n int, err error) {
	var names []string
	place := make([]int, len(columns))
	for k, c := range columns {
		if place[k] = slices.Index(names, c.name); place[k] < 0 {
			place[k], names = len(names), append(names, c.name)
		}
	}
	if err := r.Select(names...); err != nil {
		return 0, err
	}
	err = r.Each(func(row []string) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for k, c := range columns {
			if err := c.add(row[place[k]]); err != nil {
				return fmt.Errorf("%s: column %q: %w", r.Where(), c.name, err)
			}
		}
		return nil
	})
	return n, err
}

// differentNames returns a function that reads unique names of examples.
func differentNames(r *rows.Reader) func(value string) (string, error) {
	first := map[string]string{} // row by name
	return func(value string) (string, error) {
		value = rows.Original(strings.Clone(value))
		if value == "" {
			return "", errNoTask
		}
		if row, ok := first[value]; ok {
			return "", fmt.Errorf("%q is listed twice, first in %s: names of examples must differ", value, row)
		}
		first[value] = r.Place()
		return value, nil
	}
}

// texts interns repeated texts.
type texts map[string]string

func (t texts) once(value string) string {
	kept, ok := t[value]
	if !ok {
		kept = strings.Clone(value)
		t[kept] = kept
	}
	return kept
}

// class returns the class of a true label.
func (t texts) class(value string) (string, error) {
	value, err := single(value)
	return t.once(className(rows.Original(value))), err
}

// label is class for a given label, with "" for a missing one.
func (t texts) label(value string) (string, error) {
	class, err := t.class(value)
	if isMissing(class) {
		class = ""
	}
	return class, err
}

// single returns the only element of a JSON list, "" for an empty list, and other labels as they are. doccano and
// other tools write lists of labels, and Label Studio writes {"choices": [...]}. It is an error if there are several,
// or if they mark parts of a text.
func single(label string) (string, error) {
	if !listLike.MatchString(label) || !gjson.Valid(label) {
		return label, nil
	}
	list := gjson.Parse(label)
	if list.IsObject() {
		list = list.Get("choices")
	}
	switch list := list.Array(); {
	case len(list) == 0:
		return "", nil
	case len(list) > 1 || list[0].Type == gjson.JSON:
		return "", fmt.Errorf("the label is a list, %.60s: want one class for each example", label)
	default:
		return list[0].String(), nil
	}
}

var listLike = regexp.MustCompile(`^\s*(\[|\{\s*"choices"\s*:)`)

func readSplit(value string) (split string, err error) {
	if split = splitOf(value); split == "" {
		err = fmt.Errorf("unknown split %q: want train, val or test", value)
	}
	return split, err
}

// splitNames are the names of splits in lower case. Examples for validation belong to the training set, since their
// labels were given in the same way and are judged as well.
var splitNames = map[string]string{
	"train": "train", "training": "train", "val": "train", "valid": "train", "validation": "train", "dev": "train",
	"test": "test", "testing": "test",
}

// splitOf returns train or test for the name of a split in any case, or "".
func splitOf(name string) string { return splitNames[strings.ToLower(strings.TrimSpace(name))] }

func readFlag(value string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "1.0", "true", "yes":
		return "1", nil
	case "", "0", "0.0", "false", "no":
		return "", nil
	}
	return "", fmt.Errorf("%q: want 1, true or yes if the label is known to be right, else nothing, 0, false or no", value)
}

// readLabelArray reads labels [N] or [N 1] from an NPY file.
func readLabelArray(path string) (*labelTable, error) {
	a, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if len(a.Shape) != 1 && (len(a.Shape) != 2 || a.Shape[1] != 1) {
		return nil, fmt.Errorf("%s has the shape %v: want one label per example, [N]; convert one-hot rows with "+
			"numpy.argmax(y, 1)", path, a.Shape)
	}
	labels, err := a.Strings()
	if err != nil {
		return nil, err
	}
	for k, label := range labels {
		if isMissing(label) {
			labels[k] = ""
			continue
		}
		if a.Type.Kind == npy.Float && strings.ContainsAny(label, ".I") {
			return nil, fmt.Errorf("%s: element %d: %s is not a class: want whole numbers, or names (y.astype(str)); turn "+
				"probabilities into classes with numpy.argmax(p, 1)", path, k, label)
		}
		labels[k] = className(label)
	}
	return &labelTable{path: path, n: len(labels), labels: labels}, nil
}

// readLabelLines reads a text file with one label per line. Empty lines are missing labels, except at the end.
func readLabelLines(path string) (*labelTable, error) {
	raw, err := files.Read(path, 1<<30)
	if err != nil {
		return nil, err
	}
	if err := dataset.CheckText(raw); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	content := strings.TrimRightFunc(strings.TrimPrefix(string(raw), "\ufeff"), unicode.IsSpace)
	if content == "" {
		return nil, fmt.Errorf("%s has no labels: want one per line", path)
	}
	t, kept := &labelTable{path: path}, texts{}
	for line := range strings.SplitSeq(content, "\n") {
		t.n++
		label, err := kept.label(strings.TrimRight(line, "\r"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, t.n, err)
		}
		t.labels = append(t.labels, label)
	}
	return t, nil
}

// className returns the name of a label's class without outer spaces, and 3 for 3.0, which programs write for whole
// numbers in columns with gaps.
func className(label string) string {
	label = strings.TrimSpace(label)
	whole, fraction, ok := strings.Cut(label, ".")
	if ok && strings.Trim(fraction, "0") == "" {
		if _, err := strconv.Atoi(whole); err == nil {
			return whole
		}
	}
	return label
}

// classNames returns the distinct names, in numeric order if all are whole numbers, else sorted.
func classNames(labels []string) []string {
	numbers := map[string]int{}
	whole := true
	for _, label := range labels {
		if _, seen := numbers[label]; !seen {
			n, err := strconv.Atoi(label)
			numbers[label] = n
			whole = whole && err == nil
		}
	}
	names := slices.Sorted(maps.Keys(numbers))
	if whole {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	}
	return names
}

// compose converts labels and true labels to the composed form of Unicode, NFC, so that é is one class whether it is
// one character or, as in macOS file names, two.
func (t *labelTable) compose() {
	for _, labels := range [][]string{t.labels, t.truths} {
		for k, label := range labels {
			labels[k] = norm.NFC.String(label)
		}
	}
}
