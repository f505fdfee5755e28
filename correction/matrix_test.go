package correction_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

var abc = []string{"a", "b", "c"}

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
		{"row sum", abc, [][]float64{{1, 0, 0}, {0, .9, 0}, {0, 0, 1}}, "row 1 (b) sums to 0.9, want 1"},
		{"row sum close", abc, [][]float64{{1, 0, 0}, {0, 1 + 2e-6, 0}, {0, 0, 1}}, "row 1 (b) sums to 1.000002"},
		{"too few rows", abc, [][]float64{{1, 0, 0}, {0, 1, 0}}, "2 rows for 3 classes"},
		{"ragged", abc, [][]float64{{1, 0, 0}, {0, 1}, {0, 0, 1}}, "row 1 (b) has 2 entries for 3 classes"},
		{"one class", []string{"a"}, [][]float64{{1}}, "1 class names, want at least 2"},
		{"same name", []string{"a", "a"}, [][]float64{{1, 0}, {0, 1}}, `classes 0 and 1 are both named "a"`},
		{"no name", []string{"a", ""}, [][]float64{{1, 0}, {0, 1}}, "class 1 has an empty name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := correction.NewMatrix(test.classes, test.rows)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestNewMatrixToleratesRounding(t *testing.T) {
	rows := [][]float64{{1 - 5e-7, 0, 0}, {0, 1, 0}, {1. / 3, 1. / 3, 1. / 3}}
	if _, err := correction.NewMatrix(abc, rows); err != nil {
		t.Error(err)
	}
}

// A message is made for a bad entry only.
func TestNewMatrixAllocatesLittle(t *testing.T) {
	const c = 200
	classes, rows := make([]string, c), make([][]float64, c)
	for i := range rows {
		classes[i], rows[i] = strconv.Itoa(i), make([]float64, c)
		rows[i][i] = 1
	}
	n := testing.AllocsPerRun(1, func() {
		if _, err := correction.NewMatrix(classes, rows); err != nil {
			t.Error(err)
		}
	})
	if n > c {
		t.Errorf("%v allocations for a matrix of %d classes", n, c)
	}
}

func TestMatrixIsImmutable(t *testing.T) {
	rows := [][]float64{{.7, .3, 0}, {0, 1, 0}, {0, 0, 1}}
	classes := []string{"a", "b", "c"}
	m, err := correction.NewMatrix(classes, rows)
	if err != nil {
		t.Fatal(err)
	}
	rows[0][0], classes[0] = 5, "z"
	m.Rows()[0][0], m.Classes()[0] = 6, "y"
	m.Dense().Set(0, 0, 7)
	if m.At(0, 0) != .7 || m.Classes()[0] != "a" {
		t.Errorf("T[0][0] = %v, class %s after the copies changed", m.At(0, 0), m.Classes()[0])
	}
}

func TestConditionAndInverse(t *testing.T) {
	two := []string{"no", "yes"}
	// The singular values of [[1-n n] [n 1-n]] are 1 and |1-2n|.
	for _, test := range []struct{ n, want float64 }{{0, 1}, {.2, 1 / .6}, {.45, 10}, {.6, 5}} {
		m, err := correction.Symmetric(two, test.n)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Condition(); math.Abs(got-test.want) > 1e-12*test.want {
			t.Errorf("cond at n = %v: %v, want %v", test.n, got, test.want)
		}
	}

	singular, err := correction.Symmetric(two, .5)
	if err != nil {
		t.Fatal(err)
	}
	if got := singular.Condition(); !math.IsInf(got, 1) {
		t.Errorf("cond of a singular matrix = %v, want +Inf", got)
	}
	if _, err := singular.Inverse(); err == nil || !strings.HasSuffix(err.Error(), "it is singular") {
		t.Errorf("inverse of a singular matrix: %v", err)
	}
	near, err := correction.Symmetric(two, .5-1e-8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.Inverse(); err == nil || !strings.Contains(err.Error(), "condition number 5e+07 exceeds 1e+06") {
		t.Errorf("inverse at cond 5e7: %v", err)
	}
}

// T times its inverse is I, and rows of the inverse sum to 1 because those of
// T do, over random matrices.
func TestInverseProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		m := correctiontest.RandomMatrix(t, rng, 2+rng.IntN(9))
		inverse, err := m.Inverse()
		if err != nil {
			t.Fatal(err)
		}
		var product mat.Dense
		product.Mul(m.Dense(), inverse)
		for i := range m.Dim() {
			if sum := mat.Sum(inverse.RowView(i)); math.Abs(sum-1) > 1e-10 {
				t.Errorf("row %d of the inverse sums to %v", i, sum)
			}
			for j := range m.Dim() {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(product.At(i, j)-want) > 1e-10 {
					t.Errorf("(T T^-1)[%d][%d] = %v", i, j, product.At(i, j))
				}
			}
		}
	}
}

func TestReorder(t *testing.T) {
	m, err := correction.NewMatrix([]string{"zebra", "cat", "dog"}, [][]float64{{.7, .2, .1}, {0, .9, .1}, {.3, 0, .7}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Reorder([]string{"cat", "dog", "zebra"})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]float64{{.9, .1, 0}, {0, .7, .3}, {.2, .1, .7}}; !slices.EqualFunc(got.Rows(), want, slices.Equal) {
		t.Errorf("got %v, want %v", got.Rows(), want)
	}
	for _, classes := range [][]string{{"cat", "dog"}, {"cat", "dog", "cow"}, {"cat", "dog", "dog"}, {"cat", "cow", "dog", "zebra"}} {
		if _, err := m.Reorder(classes); err == nil {
			t.Errorf("%v: no error", classes)
		}
	}
}
