package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// readTableWith reads a table's labels, or those in a separate file, its other known columns, and the columns that
// content returns. Columns that the file of labels lacks are read from the table. The result has names, and its rows
// are the table's.
func (s Source) readTableWith(
	ctx context.Context, content func(r *rows.Reader) ([]column, error),
) (*labelTable, error) {
	r, err := rows.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	columns := s.columns()
	var given *labelTable
	if s.Labels != "" {
		if given, err = readLabelsBeside(ctx, s.Labels, r, &columns); err != nil {
			return nil, err
		}
	}
	if s.Label == "" && columns.label != "" && !r.Has(columns.label) {
		return nil, fmt.Errorf("%w: name the column of the labels with --label", r.Missing(columns.label))
	}
	var more []column
	if content != nil {
		if more, err = content(r); err != nil {
			return nil, err
		}
	}
	t, err := readLabelColumns(ctx, r, columns, more...)
	if err != nil {
		return nil, err
	}
	if given != nil {
		return t, t.take(given)
	}
	t.number()
	return t, nil
}

// readLabelsBeside reads a separate file of labels for the table r, and leaves in columns those to read from r. If
// both have a usual column of names, it joins them.
func readLabelsBeside(ctx context.Context, labels string, r *rows.Reader, columns *labelColumns) (*labelTable, error) {
	in := *columns
	columns.label = ""
	if !rows.Is(labels) {
		return readLabelTable(labels, Source{})
	}
	l, err := rows.Open(labels)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	for _, c := range []struct{ in, rest *string }{
		{&in.split, &columns.split}, {&in.truth, &columns.truth}, {&in.trusted, &columns.trusted},
		{&in.group, &columns.group},
	} {
		if l.Has(*c.in) {
			*c.rest = ""
		} else {
			*c.in = ""
		}
	}
	for _, usual := range usualIDs {
		if in.id == "" && l.Has(usual) && r.Has(usual) {
			in.id, columns.id = usual, usual
		}
	}
	if l.Has(in.id) && !r.Has(in.id) {
		columns.id = ""
	} else if !l.Has(in.id) {
		in.id = ""
	}
	return readLabelColumns(ctx, l, in.withID(l))
}

// OpenLabels reads only the column of labels of a table, row by row. Names of examples may repeat.
func OpenLabels(s Source) (d *dataset.Dataset, err error) {
	defer within("own data", &err)
	if err := s.CheckClassNames(); err != nil {
		return nil, err
	}
	t, err := Source{Path: s.Path, Label: s.Label}.readTableWith(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	d = &dataset.Dataset{}
	if _, _, err := describe(d, []*part{{table: t}}, s); err != nil {
		return nil, err
	}
	return d, complete(s.Path, d.Skipped)
}

// readArrayLabels reads the labels and other known columns of the n examples in an NPY file.
func (s Source) readArrayLabels(n int) (*labelTable, error) {
	if s.Labels == "" {
		return nil, fmt.Errorf("%s: name the file of its labels with --labels, or --test-labels for a test set", s.Path)
	}
	given, err := readLabelTable(s.Labels, s)
	if err != nil {
		return nil, err
	}
	t := &labelTable{path: s.Path, n: n}
	return t, t.take(given)
}

// take adds the columns of given to t: by the names of the examples if both have them, else row by row. If t has no
// names, names 0 to n-1 in given are row numbers.
func (t *labelTable) take(given *labelTable) error {
	order, err := t.match(given)
	if err != nil {
		return err
	}
	if t.ids == nil && given.ids != nil && order == nil {
		t.ids, t.byRow = given.ids, true
	}
	t.labelsPath = given.path
	for c, to := range t.columns() {
		values := *given.columns()[c]
		if order != nil {
			values = dataset.Pick(values, order)
		}
		if values != nil {
			*to = values
		}
	}
	t.number()
	return nil
}

// number names the examples by their numbers if they have no names.
func (t *labelTable) number() {
	if t.ids == nil {
		t.ids, t.byRow = rowNames(t.n), true
	}
}

// match returns the row of given for each example, or nil if the order is the same.
func (t *labelTable) match(given *labelTable) ([]int, error) {
	if given.ids != nil && t.ids == nil {
		if order := byNumber(given.ids); order != nil && len(order) == t.n {
			return order, nil
		}
	}
	if given.ids == nil || t.ids == nil {
		if given.n != t.n {
			return nil, fmt.Errorf("%s has %d examples and %s has %d: %w", t.path, t.n, given.path, given.n, errNotTogether)
		}
		return nil, nil
	}
	row := make(map[string]int, len(given.ids))
	for k, id := range given.ids {
		if _, ok := row[id]; ok {
			return nil, fmt.Errorf("%s lists %q twice: names of examples must differ", given.path, id)
		}
		row[id] = k
	}
	order := make([]int, t.n)
	var first []string
	for k, id := range t.ids {
		at, ok := row[id]
		if !ok {
			first = append(first, id)
			continue
		}
		order[k] = at
		delete(row, id)
	}
	if len(first) == 0 && len(row) == 0 {
		return order, nil
	}
	var second []string
	for _, id := range given.ids {
		if _, ok := row[id]; ok {
			second = append(second, id)
		}
	}
	return nil, fmt.Errorf("%s has %d examples and %s has %d: %w: %s only in the first; %s only in the second",
		t.path, t.n, given.path, given.n, errNotTogether, counted(first), counted(second))
}

var errNotTogether = errors.New("they do not match")

// counted counts names and lists the first few.
func counted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", len(names), quoted(names))
}

// quoted lists the first few names.
func quoted(names []string) string { return humanize.Quoted(names, 5) }

// byNumber returns the place of each number in ids, or nil if ids are not the numbers from 0 to len(ids)-1.
func byNumber(ids []string) []int {
	order := slices.Repeat([]int{-1}, len(ids))
	for k, id := range ids {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 || n >= len(ids) || order[n] >= 0 {
			return nil
		}
		order[n] = k
	}
	return order
}

// describe fills in everything except the content of the examples, for a part and, if there are two, a test set. It
// names the classes by the source. It returns the rows of the table in each split; if there are two parts, tested are
// rows of the second. Examples without a label are in Skipped.
func describe(d *dataset.Dataset, parts []*part, s Source) (train, tested []int, err error) {
	for _, p := range parts {
		p.table.compose()
		// labels_corrected.csv has names of classes, but their order is by number
		p.table.labels, p.table.truths = s.numbers(p.table.labels), s.numbers(p.table.truths)
	}
	t, test := parts[0].table, parts[len(parts)-1].table
	missing := t.missingNumbers(s.Naming())
	kept, left := t.labelled(missing)
	for _, k := range kept {
		if t.splits != nil && t.splits[k] == "test" {
			tested = append(tested, k)
		} else {
			train = append(train, k)
		}
	}
	d.Skipped = append(d.Skipped, left...)
	if test != t && len(tested) > 0 {
		return nil, nil, fmt.Errorf("%s has test examples (%s), and %s is a second test set: use one of them", t.path,
			counted(dataset.Pick(t.ids, tested)), test.path)
	}
	if err := t.classes(d, train); err != nil {
		if n := len(d.Skipped); n > 0 {
			err = fmt.Errorf("%w (%d unusable files or labels: %s)", err, n, dataset.ListSkipped(d.Skipped, shownNames))
		}
		return nil, nil, err
	}
	number := make(map[string]int, len(d.Classes))
	for k, name := range d.Classes {
		number[name] = k
	}
	groups := map[string]int32{}
	if d.Train, err = t.split(train, number, groups); err != nil {
		return nil, nil, err
	}
	if test != t {
		tested, left = test.labelled(missing)
		d.Skipped = append(d.Skipped, left...)
	}
	if len(tested) > 0 {
		if d.Test, err = test.split(tested, number, groups); err != nil {
			return nil, nil, err
		}
	}
	return train, tested, s.nameClasses(d)
}

// fewest is the least number of training examples, one for each of four folds.
const fewest = 4

// classes numbers the classes of the training examples.
func (t *labelTable) classes(d *dataset.Dataset, train []int) error {
	if len(train) < fewest {
		return fmt.Errorf("%s has %s: want at least %d, and a few hundred for a useful result", t.path,
			humanize.Count(len(train), "training example"), fewest)
	}
	d.Classes = classNames(dataset.Pick(t.labels, train))
	switch n := len(d.Classes); {
	case n == 1:
		return fmt.Errorf("%s: all %d training labels are %q: want two classes or more", t.path, len(train), d.Classes[0])
	case n > 10 && n > len(train)/2:
		return fmt.Errorf("%s: %d training examples have different labels, %s: check the column of the labels", t.path,
			len(train), counted(d.Classes))
	}
	return nil
}

// split returns the rows as a split without content.
func (t *labelTable) split(rows []int, number map[string]int, groups map[string]int32) (dataset.Split, error) {
	s := dataset.Split{Labels: make([]int, len(rows)), IDs: dataset.Pick(t.ids, rows)}
	for _, flag := range dataset.Pick(t.trusted, rows) {
		s.Trusted = append(s.Trusted, flag != "")
	}
	if t.truths != nil {
		s.Truth = make([]int, len(rows))
	}
	var unknown []string
	unknownOf := map[string]bool{}
	class := func(name, id string) int {
		y, ok := number[name]
		if !ok && !unknownOf[name] {
			unknownOf[name] = true
			unknown = append(unknown, name+" of "+id)
		}
		return y
	}
	for k, row := range rows {
		s.Labels[k] = class(t.labels[row], t.ids[row])
		if t.truths != nil {
			s.Truth[k] = -1
			if truth := t.truths[row]; truth != "" {
				s.Truth[k] = class(truth, t.ids[row])
			}
		}
		if t.groups != nil {
			name := cmp.Or(t.groups[row], "\x00"+t.ids[row]) // an example without a group is alone
			if _, known := groups[name]; !known {
				groups[name] = int32(len(groups))
			}
			s.Group = append(s.Group, groups[name])
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return s, fmt.Errorf("%s: classes without a training example, each with a test example: %s", t.path, counted(unknown))
	}
	return s, nil
}

// divide returns the examples of two splits from one slice; size is the number of elements of an example. first
// reuses the memory.
func divide[T any](all []T, size int, train, test []int) (first, second []T) {
	if all == nil {
		return nil, nil
	}
	if len(test) > 0 {
		second = make([]T, 0, len(test)*size)
		for _, row := range test {
			second = append(second, all[row*size:(row+1)*size]...)
		}
	}
	for k, row := range train { // row >= k
		if k != row {
			copy(all[k*size:(k+1)*size], all[row*size:(row+1)*size])
		}
	}
	return all[: len(train)*size : len(train)*size], second
}
