package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"
)

// labelTable is what is known of examples beside their content, each column in the order
// of the rows, and nil if the file does not have it.
type labelTable struct {
	path    string
	n       int      // rows
	ids     []string // which differ
	labels  []string // "" where a label is missing; whole numbers have no decimal point
	splits  []string // train or test
	truths  []string // "" where not known
	trusted []string // "1" where the label is known to be right, else ""
	groups  []string // "" where an example is in none
	byRow   bool     // the names are those of rows, wherever they come from

	labelsPath string   // of the file of the labels; "" where it is path
	findings   []string // what was odd about the rows, for people
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

// pick leaves some rows, in their order.
func (t *labelTable) pick(rows []int) {
	t.n, t.ids = len(rows), dataset.Pick(t.ids, rows)
	for _, c := range t.known() {
		*c = dataset.Pick(*c, rows)
	}
}

// known are the columns without the names.
func (t *labelTable) known() []*[]string {
	return []*[]string{&t.labels, &t.splits, &t.truths, &t.trusted, &t.groups}
}

// keep leaves the rows of some names, which have their order.
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
func ReadLabels(path string) (map[string]string, error) {
	t, err := readLabelTable(path, Source{ID: "id", Label: "label"})
	if err == nil && t.ids == nil {
		err = fmt.Errorf("%s: no names of examples, want a table with the columns id and label", path)
	}
	if err == nil {
		_, left := t.labelled(nil)
		err = complete(path, left)
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: labels: %w", err)
	}
	labels := make(map[string]string, len(t.ids))
	for k, id := range t.ids {
		labels[id] = norm.NFC.String(t.labels[k])
	}
	return labels, nil
}

// labelColumns are the names of a labelTable's columns in a file, "" for those that are
// not read.
type labelColumns struct {
	id, label, split, truth, trusted, group string
}

func (s Source) columns() labelColumns {
	return labelColumns{id: s.ID, label: cmp.Or(s.Label, "label"), split: s.Split, truth: s.Truth, trusted: s.Trusted,
		group: s.Group}
}

// readLabelTable reads a file of labels: a table with the Source's columns, or an NPY or
// text file with labels only. Without Source.ID, the examples' names are in a column
// file_name or id, if there is one.
func readLabelTable(path string, s Source) (*labelTable, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case ending == ".npy":
		return readLabelArray(path)
	case ending == ".txt":
		return readLabelLines(path)
	case !rows.Is(path):
		return nil, fmt.Errorf("%s is not a file of labels by its name: want %s, .npy, or .txt with one label per line", path,
			rows.Endings)
	}
	r, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readLabelColumns(context.Background(), r, s.columns().named(r))
}

// usualIDs are the columns of names of examples where nobody names one.
var usualIDs = []string{"file_name", "id"}

// OtherNames returns the column in which the examples of a table seem to have names, where none is
// given and the numbers of their rows name them: a usual one whose values differ, and are not these
// numbers. It returns "" for other data, and for a table that cannot be read.
func (s Source) OtherNames() string {
	if s.ID != "" || s.Labels != "" || !rows.Is(s.Path) {
		return ""
	}
	r, err := rows.Open(s.Path)
	if err != nil {
		return ""
	}
	defer r.Close()
	column := s.columns().named(r).id
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

// named fills in the column of the examples' names.
func (c labelColumns) named(r *rows.Reader) labelColumns {
	for _, usual := range usualIDs {
		if c.id == "" && r.Has(usual) {
			c.id = usual
		}
	}
	return c
}

// roles says what the columns hold, by their names.
func (c labelColumns) roles() map[string]string {
	roles := map[string]string{c.id: "names", c.label: "labels", c.split: "splits", c.truth: "true labels",
		c.trusted: "trusted labels", c.group: "groups"}
	delete(roles, "")
	return roles
}

// column is a column of a table, and what takes its values.
type column struct {
	name string
	add  func(value string) error
}

// readLabelColumns reads the columns that have a name, and further ones, of all rows.
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
		err = fmt.Errorf("%s has no row", r.Path)
	}
	t.findings = r.Findings()
	return t, err
}

// readColumns reads columns of all rows, and counts the rows. A column may be there twice.
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

// differentNames returns what reads the names of examples in a table.
func differentNames(r *rows.Reader) func(value string) (string, error) {
	first := map[string]string{} // the row of each name
	return func(value string) (string, error) {
		value = rows.Original(strings.Clone(value))
		if value == "" {
			return "", errNoTask
		}
		if row, ok := first[value]; ok {
			return "", fmt.Errorf("%q is there twice, first in %s: names of examples must differ", value, row)
		}
		first[value] = r.Place()
		return value, nil
	}
}

// texts are texts that repeat, each of which is kept once.
type texts map[string]string

func (t texts) once(value string) string {
	kept, ok := t[value]
	if !ok {
		kept = strings.Clone(value)
		t[kept] = kept
	}
	return kept
}

// class is the class of a true label.
func (t texts) class(value string) (string, error) {
	value, err := single(value)
	return t.once(className(rows.Original(value))), err
}

// label is class for a label, "" for one that is missing.
func (t texts) label(value string) (string, error) {
	class, err := t.class(value)
	if isMissing(class) {
		class = ""
	}
	return class, err
}

// single returns the only element of a list of JSON, "" of an empty one, and other labels as they are: doccano and
// other tools write lists with several labels of an example, and Label Studio writes {"choices": [...]}. It is an
// error if there are several, or if they are marks in a text.
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
		return "", fmt.Errorf("the label is a list, %.60s: want one class of an example", label)
	default:
		return list[0].String(), nil
	}
}

var listLike = regexp.MustCompile(`^\s*(\[|\{\s*"choices"\s*:)`)

func readSplit(value string) (split string, err error) {
	if split = splitOf(value); split == "" {
		err = fmt.Errorf("%q is not a split: want train, val or test", value)
	}
	return split, err
}

// splitNames are the names of splits in lower case. Examples for validation belong to the training
// set: their labels were given as the others were, and are judged as the others are.
var splitNames = map[string]string{
	"train": "train", "training": "train", "val": "train", "valid": "train", "validation": "train", "dev": "train",
	"test": "test", "testing": "test",
}

// splitOf returns train or test for the name of a split, in any case, and "" for other names.
func splitOf(name string) string { return splitNames[strings.ToLower(strings.TrimSpace(name))] }

func readFlag(value string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "1.0", "true", "yes":
		return "1", nil
	case "", "0", "0.0", "false", "no":
		return "", nil
	}
	return "", fmt.Errorf("%q: want 1, true or yes for a label that is right, else nothing, 0, false or no", value)
}

// readLabelArray reads labels [N] or [N 1] of an NPY file.
func readLabelArray(path string) (*labelTable, error) {
	a, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if len(a.Shape) != 1 && (len(a.Shape) != 2 || a.Shape[1] != 1) {
		return nil, fmt.Errorf("%s has the shape %v: want one label per example, [N]; of one-hot rows numpy.argmax(y, 1)",
			path, a.Shape)
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

// readLabelLines reads a text file with one label per line. Lines that are empty are missing labels, but for those at
// the end.
func readLabelLines(path string) (*labelTable, error) {
	raw, err := files.Read(path, 1<<30)
	if err != nil {
		return nil, err
	}
	content := strings.TrimRightFunc(strings.TrimPrefix(string(raw), "\ufeff"), unicode.IsSpace)
	if content == "" {
		return nil, fmt.Errorf("%s has no label: want one per line", path)
	}
	t, kept := &labelTable{path: path}, texts{}
	for line := range strings.SplitSeq(content, "\n") {
		t.n++
		line = strings.TrimRight(line, "\r")
		label, err := kept.label(line)
		if err = cmp.Or(checkLine(line), err); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, t.n, err)
		}
		t.labels = append(t.labels, label)
	}
	return t, nil
}

// longestLine is the number of bytes of a label in a text file.
const longestLine = 64 << 10

// checkLine refuses what is no text of labels.
func checkLine(label string) error {
	switch {
	case len(label) >= longestLine:
		return fmt.Errorf("the line has more than %d KiB: want one label per line", longestLine>>10)
	case strings.Contains(label, "\x00"):
		return errors.New("UTF-16 or UTF-32 text, or no text: save it as UTF-8 (iconv -f ITS-ENCODING -t UTF-8)")
	case strings.Contains(label, "\r"):
		return errors.New("a carriage return inside of the line: if lines end with it alone, as on old Macs, convert the " +
			`file (tr '\r' '\n' < FILE > NEW)`)
	}
	return dataset.CheckText([]byte(label))
}

// className returns the name of a label's class: without spaces around it, and 3 for 3.0,
// which programs write for whole numbers in columns that have gaps.
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

// classNames returns the different names, in the order of their numbers if all of them
// are whole numbers, else sorted.
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
