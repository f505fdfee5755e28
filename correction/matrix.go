package correction

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// rowTolerance is how far the sum of a row may be from 1.
const rowTolerance = 1e-6

// MaxCondition is the largest condition number that Inverse accepts. Backward correction multiplies losses by entries
// of the inverse; beyond this condition number float32 has no correct digit left.
const MaxCondition = 1e6

// Matrix is a transition matrix with named classes:
//
//	T[i][j] = P(given label j | true label i)
//
// A Matrix is row-stochastic by construction and immutable.
type Matrix struct {
	classes []string
	t       *mat.Dense // c x c
}

// NewMatrix returns the transition matrix with a copy of the given rows, one per true class in the order of classes.
//
// It is an error if the size is not len(classes) x len(classes), if an entry is negative, not a number or infinite,
// if a row does not sum to 1 within 1e-6, or if classes has fewer than two names, an empty or a repeated one.
func NewMatrix(classes []string, rows [][]float64) (*Matrix, error) {
	if err := CheckClasses(classes); err != nil {
		return nil, fmt.Errorf("correction: transition matrix: %w", err)
	}
	if _, err := checkRows(classes, rows); err != nil {
		return nil, fmt.Errorf("correction: transition matrix: %w", err)
	}
	return newMatrix(classes, rows), nil
}

// Normalized returns the transition matrix whose rows are the given ones divided by their sums. The caller makes sure
// that entries are at least 0 and that classes and the size are valid.
func Normalized(classes []string, rows [][]float64) *Matrix {
	m := newMatrix(classes, rows)
	for i := range rows {
		row := m.t.RawRowView(i)
		floats.Scale(1/floats.Sum(row), row)
	}
	return m
}

// newMatrix copies valid rows.
func newMatrix(classes []string, rows [][]float64) *Matrix {
	c := len(classes)
	t := mat.NewDense(c, c, nil)
	for i, row := range rows {
		t.SetRow(i, row)
	}
	return &Matrix{classes: slices.Clone(classes), t: t}
}

// CheckClasses returns an error if classes has fewer than two names, an empty or a repeated one.
func CheckClasses(classes []string) error {
	if len(classes) < 2 {
		return fmt.Errorf("%d class names, want at least 2", len(classes))
	}
	seen := make(map[string]int, len(classes))
	for i, name := range classes {
		if name == "" {
			return fmt.Errorf("class %d has an empty name", i)
		}
		if j, ok := seen[name]; ok {
			return fmt.Errorf("classes %d and %d are both named %q", j, i, name)
		}
		seen[name] = i
	}
	return nil
}

// errTransposed reports the most common mistake.
var errTransposed = errors.New("columns sum to 1 and rows do not: the matrix is transposed; " +
	"rows must be true classes and columns given labels (cleanlab's noise_matrix is the transpose)")

// checkRows returns an error if rows are not a transition matrix, with the index of the bad row or -1 if no single
// row is to blame.
func checkRows(classes []string, rows [][]float64) (int, error) {
	c := len(classes)
	if len(rows) != c {
		return -1, fmt.Errorf("%d rows for %d classes, want one row per class", len(rows), c)
	}
	columns := make([]float64, c)
	bad, badSum := -1, 0.0
	for i, row := range rows {
		if len(row) != c {
			return i, fmt.Errorf("row %d (%s) has %d entries for %d classes", i, classes[i], len(row), c)
		}
		sum := 0.0
		for j, v := range row {
			if fault := faultOf(v); fault != "" {
				return i, fmt.Errorf("entry T[%d][%d] (%s to %s) is %s", i, j, classes[i], classes[j], fault)
			}
			sum += v
			columns[j] += v
		}
		if bad < 0 && math.Abs(sum-1) > rowTolerance {
			bad, badSum = i, sum
		}
	}
	if bad < 0 {
		return -1, nil
	}
	if !slices.ContainsFunc(columns, func(s float64) bool { return math.Abs(s-1) > rowTolerance }) {
		return -1, errTransposed
	}
	return bad, fmt.Errorf("row %d (%s) sums to %.9g, want 1 within %g: divide counts by their sum",
		bad, classes[bad], badSum, rowTolerance)
}

// faultOf describes what is wrong with an entry; it is empty for a valid one.
func faultOf(v float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 0):
		return "infinite"
	case v < 0:
		return fmt.Sprintf("negative: %v", v)
	}
	return ""
}

// Dim returns c, the number of classes.
func (m *Matrix) Dim() int { return len(m.classes) }

// Classes returns a copy of the names of the classes, in the order of the rows.
func (m *Matrix) Classes() []string { return slices.Clone(m.classes) }

// At returns T[i][j], the probability that true class i is labelled j. Panics
// if an index is out of range.
func (m *Matrix) At(i, j int) float64 { return m.t.At(i, j) }

// Row returns a copy of row i, the label probabilities of true class i.
func (m *Matrix) Row(i int) []float64 { return mat.Row(nil, i, m.t) }

// Class returns the name of class i.
func (m *Matrix) Class(i int) string { return m.classes[i] }

// Trace returns the sum of the diagonal.
func (m *Matrix) Trace() float64 { return mat.Trace(m.t) }

// Reorder returns T with its rows and columns in the order of classes. It is an error unless classes names every
// class of T once.
func (m *Matrix) Reorder(classes []string) (*Matrix, error) {
	if err := CheckClasses(classes); err != nil {
		return nil, fmt.Errorf("correction: %w", err)
	}
	if len(classes) != m.Dim() {
		return nil, fmt.Errorf("correction: T has %d classes, not %d", m.Dim(), len(classes))
	}
	place := make([]int, len(classes))
	for i, name := range classes {
		if place[i] = slices.Index(m.classes, name); place[i] < 0 {
			return nil, fmt.Errorf("correction: T has no class %q", name)
		}
	}
	rows := make([][]float64, len(classes))
	for i, from := range place {
		for _, to := range place {
			rows[i] = append(rows[i], m.At(from, to))
		}
	}
	return newMatrix(classes, rows), nil
}

// IsIdentity reports whether T changes no label.
func (m *Matrix) IsIdentity() bool {
	for i := range m.Dim() {
		if m.At(i, i) != 1 {
			return false
		}
	}
	return true
}

// Rows returns a copy of the matrix, one slice per true class.
func (m *Matrix) Rows() [][]float64 {
	rows := make([][]float64, m.Dim())
	for i := range rows {
		rows[i] = mat.Row(nil, i, m.t)
	}
	return rows
}

// String returns T as a table with three decimals. Rows are true classes and columns are labels, in the order of
// Classes.
func (m *Matrix) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t%s\t\n", strings.Join(m.classes, "\t"))
	for i, name := range m.classes {
		fmt.Fprintf(w, "%s\t", name)
		for j := range m.classes {
			fmt.Fprintf(w, "%.3f\t", m.At(i, j))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a Builder takes everything
	return b.String()
}

// ByLabel returns a transposed copy of T: row j holds P(given label j | true label k) for all k.
func (m *Matrix) ByLabel() *mat.Dense { return mat.DenseCopyOf(m.t.T()) }
