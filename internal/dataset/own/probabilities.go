package own

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
)

// Probabilities are the class probabilities of examples.
type Probabilities struct {
	Values   []float32 // [N C]
	Classes  []string  // C, in the order of the data set, then columns without labels
	Named    bool      // the file names the classes
	Findings []string  // problems, for people
}

// ReadProbabilities reads a model's class probabilities of examples [N C] from an NPY file or a table.
// Rows are in the order of the examples, or joined by a table's column id. The other columns of a table
// are named after the classes, in any order. NPY files and tables whose first line is a row of
// probabilities have no names: their columns are in the order of columns. If columns is nil, it is
// classes, or 0 to C-1 if there are more columns than classes and all classes are such numbers. Columns
// without a name are left out, and so is a column class, which losscorr predict writes, unless it is a
// class. It is an error if columns has another order than a file's names.
//
// Rows are divided by their sums. It is an error if a sum is far from 1, as for logits; if a number is
// negative or NaN; if all rows are one-hot, since predicted classes are not enough; if the examples
// differ; or if a class has no column. Classes and columns may be named by Source.ClassNames or
// numbers.
func (s Source) ReadProbabilities(path string, ids, classes, columns []string) (out *Probabilities, err error) {
	defer within("probabilities", &err)
	var p *probabilities
	switch {
	case isArray(path):
		p, err = readProbabilityArray(path)
	case rows.Is(path):
		p, err = readProbabilityTable(path, classes, len(ids))
	default:
		err = fmt.Errorf("%s: unknown ending for a file of probabilities: want .npy, %s", path, rows.Endings)
	}
	if err != nil {
		return nil, err
	}
	out = &Probabilities{}
	if err := p.check(out); err != nil {
		return nil, err
	}
	if err := p.name(s, columns, classes, out); err != nil {
		return nil, err
	}
	out.Values, err = p.of(ids, out.Classes)
	return out, err
}

// ReadClasses reads the names of classes from a text file with one per line.
func ReadClasses(path string) (_ []string, err error) {
	defer within("classes", &err)
	t, err := readLabelLines(path)
	if err != nil {
		return nil, err
	}
	if at := slices.Index(t.labels, ""); at >= 0 {
		return nil, fmt.Errorf("%s:%d: the name of the class is missing", path, at+1)
	}
	return t.labels, nil
}

// probabilities is the content of a file of probabilities.
type probabilities struct {
	path    string
	p       []float32 // [N C]
	c       int
	classes []string // names of the columns; nil if the file has none
	ids     []string // nil if the file has none
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
			hint = "; predicted classes (argmax) are not enough"
		}
		return nil, fmt.Errorf("%s: array of %s %v: want numbers [N C], a row per example%s", path, a.Type, a.Shape, hint)
	}
	values, err := a.Float32s()
	return &probabilities{path: path, p: values, c: a.Shape[1]}, err
}

func readProbabilityTable(path string, classes []string, n int) (*probabilities, error) {
	r, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p := &probabilities{path: path}
	first, err := numbers(r.Columns(), r.Columns())
	isRow := err == nil && nearOne(sum(first))
	isNames := !isRow || slices.Equal(first, []float32{0, 1}) || slices.Equal(first, []float32{1, 0})
	if !isNames {
		p.p, p.c = first, len(first)
	} else if err := p.choose(r, classes); err != nil {
		return nil, err
	}
	err = r.Each(func(row []string) error {
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
	// 0 and 1 are names of classes only if the number of rows fits
	if isRow && isNames && len(p.p) == p.c*(n-1) {
		p.p, p.classes = append(first, p.p...), nil
	}
	return p, err
}

// choose selects the columns of the classes, then the column of the names.
func (p *probabilities) choose(r *rows.Reader, classes []string) error {
	id := ""
	for _, column := range r.Columns() {
		switch {
		case column == "", column == "__index_level_0__": // row numbers of pandas
		case column == "id":
			id, p.ids = column, []string{}
		case column == "class" && !slices.Contains(classes, column): // the prediction of losscorr predict
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

const (
	// sumTolerance is how much the sum of a row may differ from 1 without a finding, about as for float16.
	sumTolerance = 1e-3
	// sumLimit is how much it may differ at all: rounded numbers and the top few of many classes do not add up to
	// 1.
	sumLimit = .5
)

// sum returns the sum of a row, or NaN if a number is negative.
func sum(row []float32) float64 {
	total := 0.0
	for _, v := range row {
		if !(v >= 0) {
			return math.NaN()
		}
		total += float64(v)
	}
	return total
}

func nearOne(sum float64) bool { return math.Abs(sum-1) <= sumLimit }

// check checks the rows and divides them by their sums.
func (p *probabilities) check(out *Probabilities) error {
	switch {
	case p.c < 2:
		return fmt.Errorf("%s has %d columns of probabilities: want one for each of two or more classes", p.path, p.c)
	case len(p.p) == 0:
		return fmt.Errorf("%s has no rows", p.path)
	}
	oneHot, off, low, high := true, 0, math.Inf(1), 0.0
	for k := 0; k*p.c < len(p.p); k++ {
		row := p.p[k*p.c : (k+1)*p.c]
		total := sum(row)
		if !nearOne(total) {
			return fmt.Errorf("%s: row %d (from 0) %w", p.path, k, wrongRow(row))
		}
		if math.Abs(total-1) > sumTolerance {
			off, low, high = off+1, min(low, total), max(high, total)
		}
		for j, v := range row {
			oneHot = oneHot && (v == 0 || v == 1)
			row[j] = float32(float64(v) / total)
		}
	}
	if oneHot {
		return fmt.Errorf("%s looks like predicted classes (argmax): all its rows are one-hot. Use the probabilities "+
			"(predict_proba, softmax)", p.path)
	}
	if off > 0 {
		out.Findings = append(out.Findings, fmt.Sprintf("%s of %s with a sum of %.3g to %.3g rather than 1, perhaps from "+
			"rounding: divided by their sums", humanize.Count(off, "row"), p.path, low, high))
	}
	return nil
}

// wrongRow describes why a row is not probabilities.
func wrongRow(row []float32) error {
	if at := slices.IndexFunc(row, func(v float32) bool { return v != v }); at >= 0 {
		return fmt.Errorf("has NaN in column %d (from 0)", at)
	}
	if low, high := slices.Min(row), slices.Max(row); !(low >= 0 && high <= 1) {
		return fmt.Errorf("has numbers from %.4g to %.4g: want probabilities from 0 to 1, such as the softmax of logits", low,
			high)
	}
	return fmt.Errorf("adds up to %.6g, want 1", sum(row))
}
