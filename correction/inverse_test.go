package correction_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// manyClasses returns a T of 520 classes that sends up to a fifth of the labels to the next class and a tenth to all.
// Unless alike is negative, the first two rows differ by that much.
func manyClasses(alike float64) *correction.Matrix {
	const c = 520
	rng := rand.New(rand.NewPCG(51, 52))
	names, rows := make([]string, c), make([][]float64, c)
	for i := range rows {
		names[i], rows[i] = fmt.Sprint("class ", i), slices.Repeat([]float64{.1 / c}, c)
		share := .2 * rng.Float64()
		rows[i][i] += .9 - share
		rows[i][(i+1)%c] += share
	}
	if alike >= 0 {
		copy(rows[1], rows[0])
		rows[1][0] -= alike
		rows[1][1] += alike
	}
	return correction.Normalized(names, rows)
}

// The singular values of [[1-n n] [n 1-n]] are 1 and |1-2n|.
func TestCondition(t *testing.T) {
	for n, want := range map[float64]float64{0: 1, .2: 1 / .6, .45: 10, .6: 5} {
		if got := symmetric(t, n).Condition(); math.Abs(got-want) > 1e-12*want {
			t.Errorf("cond at n = %v: %v, want %v", n, got, want)
		}
	}
	if got := symmetric(t, .5).Condition(); !math.IsInf(got, 1) {
		t.Errorf("cond of a singular matrix = %v, want +Inf", got)
	}
}

func symmetric(t *testing.T, n float64) *correction.Matrix {
	t.Helper()
	return expect.Got(correction.Symmetric([]string{"no", "yes"}, n))(t)
}

// T times its inverse is I, over random matrices and of many classes.
func TestInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	matrices := []*correction.Matrix{manyClasses(-1)}
	for range 100 {
		matrices = append(matrices, correctiontest.RandomMatrix(t, rng, 2+rng.IntN(9)))
	}
	for _, m := range matrices {
		inverse := expect.Got(m.Inverse())(t)
		var product mat.Dense
		product.Mul(m.ByLabel().T(), inverse)
		identity := mat.NewDiagDense(m.Dim(), nil)
		for i := range m.Dim() {
			identity.SetDiag(i, 1)
		}
		if !mat.EqualApprox(&product, identity, 1e-10) {
			t.Errorf("T T^-1 of %d classes is off the identity", m.Dim())
		}
	}
}

// Inverse refuses singular and nearly singular matrices, of few and of many classes.
func TestInverseRefuses(t *testing.T) {
	for _, tt := range []struct {
		m    *correction.Matrix
		want string
	}{
		{symmetric(t, .5), "it is singular"},
		{symmetric(t, .5-1e-8), "condition number 5e+07 exceeds 1e+06"},
		{manyClasses(0), "it is singular"},
		{manyClasses(1e-8), "condition number"},
		{manyClasses(.01), ""},
	} {
		_, err := tt.m.Inverse()
		expect.Fails(t, err, tt.want)
	}
}
