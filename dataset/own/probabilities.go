package own

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
	"golang.org/x/text/unicode/norm"
)

// ReadProbabilities reads the class probabilities of examples [N C], which some model
// gave them, from an NPY file or a table. Rows are in the order of the examples; those of
// a table with a column id are joined by it. The other columns of a table are the
// classes, in any order, unless its first line is numbers that add up to 1: then, as in
// NPY files, they are those of columns, or of classes where columns is nil. Columns without
// a name are left out, and so is a column class, as losscorr predict writes it, unless a
// class has this name. named reports whether the file names the classes. It is an error if
// columns has another order.
//
// Rows are divided by their sums, which may differ from 1 by 1e-3. It is an error if one
// differs by more, as those of logits do; if a number is negative or NaN; if all rows are
// one-hot, since predicted classes are not enough; or if the examples or the classes
// differ. Classes and columns may have the names of Source.ClassNames or their numbers.
func (s Source) ReadProbabilities(path string, ids, classes, columns []string) (values []float32, named bool, err error) {
	p, err := readProbabilities(path, classes)
	if err == nil {
		err = p.check()
	}
	names := s.Naming()
	columns = slices.Clone(columns)
	for k, column := range columns {
		columns[k] = names.ClassName(norm.NFC.String(column))
	}
	if err == nil {
		for k, class := range p.classes {
			p.classes[k] = names.ClassName(class)
		}
		named, err = p.name(columns, classes)
	}
	if err == nil {
		values, err = p.of(ids, classes)
	}
	if err != nil {
		return nil, false, fmt.Errorf("dataset: probabilities: %w", err)
	}
	return values, named, nil
}

// ReadClasses reads the names of classes from a text file with one per line.
func ReadClasses(path string) ([]string, error) {
	t, err := readLabelLines(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: classes: %w", err)
	}
	return t.labels, nil
}

// probabilities are the content of a file of probabilities.
type probabilities struct {
	path    string
	p       []float32 // [N C]
	c       int
	classes []string // the names of the columns, nil if the file has none
	ids     []string // nil if the file has none
}

func readProbabilities(path string, classes []string) (*probabilities, error) {
	switch {
	case isArray(path):
		return readProbabilityArray(path)
	case rows.Is(path):
		return readProbabilityTable(path, classes)
	}
	return nil, fmt.Errorf("%s is not a file of probabilities by its name: want .npy, %s", path, rows.Endings)
}

func readProbabilityArray(path string) (*probabilities, error) {
	a, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if len(a.Shape) != 2 || a.Type.Kind == npy.Unicode || a.Type.Kind == npy.Bytes {
		hint := ""
		if len(a.Shape) == 1 {
			hint = "; this looks like predicted classes, argmax, which are not enough"
		}
		return nil, fmt.Errorf("%s: an array of %s %v: want numbers [N C], a row per example%s", path, a.Type, a.Shape, hint)
	}
	values, err := a.Float32s()
	return &probabilities{path: path, p: values, c: a.Shape[1]}, err
}

func readProbabilityTable(path string, classes []string) (*probabilities, error) {
	r, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p := &probabilities{path: path}
	first := r.Columns()
	if values, err := numbers(first, first); err == nil && sumsToOne(values) && !counts(first) {
		p.p, p.c = values, len(first) // no line of names
	} else if err := p.choose(r, classes); err != nil {
		return nil, err
	}
	return p, r.Each(func(row []string) error {
		if p.ids != nil {
			p.ids = append(p.ids, rows.Original(strings.Clone(row[p.c])))
		}
		values, err := numbers(row[:p.c], p.classes)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Where(), err)
		}
		p.p = append(p.p, values...)
		return nil
	})
}

// choose selects the columns of the classes, and then that of the names.
func (p *probabilities) choose(r *rows.Reader, classes []string) error {
	id := ""
	for _, column := range r.Columns() {
		switch {
		case column == "", column == "__index_level_0__": // numbers of rows by pandas
		case column == "id":
			id, p.ids = column, []string{}
		case column == "class" && !slices.Contains(classes, column): // the likeliest one, by losscorr predict
		default:
			p.classes = append(p.classes, column)
		}
	}
	p.c = len(p.classes)
	chosen := slices.Clone(p.classes)
	if id != "" {
		chosen = append(chosen, id)
	}
	if err := r.Select(chosen...); err != nil {
		return err
	}
	for k, class := range p.classes {
		p.classes[k] = norm.NFC.String(className(rows.Original(class)))
	}
	return nil
}

func numbers(texts, columns []string) ([]float32, error) {
	values := make([]float32, len(texts))
	for k, text := range texts {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 32)
		if err != nil {
			column := strconv.Itoa(k)
			if columns != nil {
				column = columns[k]
			}
			return nil, fmt.Errorf("column %q: %q is not a number", column, text)
		}
		values[k] = float32(x)
	}
	return values, nil
}

// counts reports whether names are 0, 1, 2 and so on, as those of classes may be.
func counts(names []string) bool {
	for k, name := range names {
		if name != strconv.Itoa(k) {
			return false
		}
	}
	return true
}

// sumTolerance is how much the sum of a row may differ from 1: about that of float16, or
// of three decimals.
const sumTolerance = 1e-3

func sumsToOne(row []float32) bool {
	sum := 0.0
	for _, v := range row {
		if !(v >= 0) {
			return false
		}
		sum += float64(v)
	}
	return math.Abs(sum-1) <= sumTolerance
}

// check checks the rows and divides them by their sums.
func (p *probabilities) check() error {
	switch {
	case p.c < 2:
		return fmt.Errorf("%s has %d columns of probabilities: want one for each class, two or more", p.path, p.c)
	case len(p.p) == 0:
		return fmt.Errorf("%s has no row", p.path)
	}
	oneHot := true
	for k := 0; k*p.c < len(p.p); k++ {
		row := p.p[k*p.c : (k+1)*p.c]
		if !sumsToOne(row) {
			return fmt.Errorf("%s: row %d (from 0) %w", p.path, k, wrongRow(row))
		}
		sum := 0.0
		for _, v := range row {
			oneHot = oneHot && (v == 0 || v == 1)
			sum += float64(v)
		}
		for j, v := range row {
			row[j] = float32(float64(v) / sum)
		}
	}
	if oneHot {
		return fmt.Errorf("%s looks like predicted classes, argmax: all its rows are one-hot. Give the probabilities (predict_proba, softmax)", p.path)
	}
	return nil
}

// wrongRow says what a row is that is no probabilities.
func wrongRow(row []float32) error {
	sum, exponentials := 0.0, 0.0
	for j, v := range row {
		switch x := float64(v); {
		case x != x:
			return fmt.Errorf("has NaN for class %d", j)
		case math.IsInf(x, 1):
			return fmt.Errorf("has an infinite number for class %d", j)
		default:
			sum += x
			exponentials += math.Exp(x)
		}
	}
	switch low, high := slices.Min(row), slices.Max(row); {
	case high <= 0 && math.Abs(exponentials-1) <= sumTolerance:
		return errors.New("looks like logarithms of probabilities: give their exponentials")
	case low < 0 || high > 1 && sum < 99:
		return fmt.Errorf("has numbers from %.4g to %.4g: they look like logits; give the probabilities, their softmax", low, high)
	case math.Abs(sum-100) <= 100*sumTolerance:
		return errors.New("adds up to 100: give probabilities from 0 to 1")
	}
	return fmt.Errorf("adds up to %.6g, want 1", sum)
}

// name gives the columns their classes where the file does not. Columns whose names are those
// of no class, such as p0 and p1, have no names.
func (p *probabilities) name(columns, classes []string) (named bool, err error) {
	named = p.classes != nil && (columns == nil || slices.ContainsFunc(p.classes, func(name string) bool { return slices.Contains(classes, name) }))
	switch {
	case columns == nil, named && slices.Equal(columns, p.classes):
	case named:
		return true, fmt.Errorf("the columns of %s have the names %s, in another order than --classes: leave --classes out", p.path, quoted(p.classes))
	case len(columns) != p.c:
		return false, fmt.Errorf("--classes names %d classes (%s), and %s has %d columns of classes", len(columns), quoted(columns), p.path, p.c)
	default:
		p.classes = columns
		for k, column := range columns {
			if slices.Contains(columns[:k], column) {
				return false, fmt.Errorf("--classes names %q twice", column)
			}
		}
	}
	return named, nil
}

// of returns the probabilities of examples and classes, in their order.
func (p *probabilities) of(ids, classes []string) ([]float32, error) {
	order, err := (&labelTable{path: "the data", ids: ids}).match(&labelTable{path: p.path, ids: p.ids}, len(ids), len(p.p)/p.c)
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(classes))
	for k, class := range classes {
		columns[k] = k
		if p.classes != nil {
			columns[k] = slices.Index(p.classes, class)
		}
	}
	if len(classes) != p.c || slices.Contains(columns, -1) {
		names := ""
		if p.classes != nil {
			names = fmt.Sprintf(": %q", p.classes)
		}
		return nil, fmt.Errorf("the labels have %d classes (%s), and %s has %d columns of classes%s: they differ", len(classes), quoted(classes), p.path, p.c, names)
	}
	picked := make([]float32, 0, len(p.p))
	for k := range ids {
		if order != nil {
			k = order[k]
		}
		for _, column := range columns {
			picked = append(picked, p.p[k*p.c+column])
		}
	}
	return picked, nil
}
