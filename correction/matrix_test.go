package correction_test

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

var abc = []string{"a", "b", "c"}

// A matrix that is not a transition matrix is refused with the reason; rounding errors are accepted.
func TestNewMatrixRefuses(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name    string
		classes []string
		rows    [][]float64
		want    string
	}{
		{"transposed", abc, [][]float64{{.7, .1, 0}, {.3, .9, .4}, {0, 0, .6}}, "the matrix is transposed"},
		{"negative", abc, [][]float64{{1.2, -.2, 0}, {0, 1, 0}, {0, 0, 1}}, "entry T[0][1] (a to b) is negative: -0.2"},
		{"NaN", abc, [][]float64{{1, 0, 0}, {0, nan, 0}, {0, 0, 1}}, "entry T[1][1] (b to b) is not a number"},
		{"infinite", abc, [][]float64{{1, 0, 0}, {0, 1, 0}, {0, math.Inf(1), 1}}, "entry T[2][1] (c to b) is infinite"},
		{"row sum", abc, [][]float64{{1, 0, 0}, {0, 1 + 2e-6, 0}, {0, 0, 1}}, "row 1 (b) sums to 1.000002"},
		{"too few rows", abc, [][]float64{{1, 0, 0}, {0, 1, 0}}, "2 rows for 3 classes"},
		{"ragged", abc, [][]float64{{1, 0, 0}, {0, 1}, {0, 0, 1}}, "row 1 (b) has 2 entries for 3 classes"},
		{"one class", []string{"a"}, [][]float64{{1}}, "1 class names, want at least 2"},
		{"same name", []string{"a", "a"}, [][]float64{{1, 0}, {0, 1}}, `classes 0 and 1 are both named "a"`},
		{"no name", []string{"a", ""}, [][]float64{{1, 0}, {0, 1}}, "class 1 has an empty name"},
	} {
		expect.Fails(t, expect.Err(correction.NewMatrix(test.classes, test.rows)), test.want)
	}
	rounded := [][]float64{{1 - 5e-7, 0, 0}, {0, 1, 0}, {1. / 3, 1. / 3, 1. / 3}}
	expect.OK(t, expect.Err(correction.NewMatrix(abc, rounded)))
}

// Arguments and results are copies.
func TestMatrixIsImmutable(t *testing.T) {
	rows := [][]float64{{.7, .3, 0}, {0, 1, 0}, {0, 0, 1}}
	classes := []string{"a", "b", "c"}
	m := expect.Got(correction.NewMatrix(classes, rows))(t)
	rows[0][0], classes[0] = 5, "z"
	m.Rows()[0][0], m.Classes()[0] = 6, "y"
	m.ByLabel().Set(0, 0, 7)
	expect.Same(t, []any{.7, "a"}, []any{m.At(0, 0), m.Classes()[0]}, "after the copies changed")
}

// Reorder permutes rows and columns; the names have to be T's.
func TestReorder(t *testing.T) {
	m := expect.Got(correction.NewMatrix([]string{"zebra", "cat", "dog"}, [][]float64{{.7, .2, .1}, {0, .9, .1}, {.3, 0, .7}}))(t)
	got := expect.Got(m.Reorder([]string{"cat", "dog", "zebra"}))(t)
	expect.Same(t, [][]float64{{.9, .1, 0}, {0, .7, .3}, {.2, .1, .7}}, got.Rows(), "rows")
	for _, classes := range [][]string{{"cat", "dog"}, {"cat", "dog", "cow"}, {"cat", "dog", "dog"},
		{"cat", "cow", "dog", "zebra"}} {
		expect.Fails(t, expect.Err(m.Reorder(classes)), "correction: ", classes)
	}
}
