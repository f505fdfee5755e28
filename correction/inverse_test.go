package correction_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// manyClasses is a T that libtorch inverts: a fifth to the next class, a tenth to all. With
// alike, the first two rows differ by that much.
func manyClasses(t *testing.T, alike float64) *correction.Matrix {
	t.Helper()
	const c = 520
	rng := rand.New(rand.NewPCG(51, 52))
	names, rows := make([]string, c), make([][]float64, c)
	for i := range rows {
		names[i], rows[i] = fmt.Sprint("class ", i), make([]float64, c)
		for j := range rows[i] {
			rows[i][j] = .1 / c
		}
		share := .2 * rng.Float64()
		rows[i][i] += .9 - share
		rows[i][(i+1)%c] += share
	}
	if alike >= 0 {
		copy(rows[1], rows[0])
		rows[1][0] -= alike
		rows[1][1] += alike
	}
	m, err := correction.NewMatrix(names, rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The inverse and the condition number of many classes are those of gonum.
func TestInverseOfManyClasses(t *testing.T) {
	torchtest.NoLeak(t, func() {
		m := manyClasses(t, -1)
		inverse, err := m.Inverse()
		if err != nil {
			t.Fatal(err)
		}
		var product mat.Dense
		product.Mul(m.Dense(), inverse)
		for i := range m.Dim() {
			product.Set(i, i, product.At(i, i)-1)
		}
		if off := mat.Max(&product) - mat.Min(&product); off > 1e-10 {
			t.Errorf("T T^-1 is off the identity by %v", off)
		}
		if got, want := m.Condition(), mat.Cond(m.Dense(), 2); math.Abs(got/want-1) > .01 {
			t.Errorf("condition %v, want %v", got, want)
		}
	})
}

// What cannot be inverted is refused, as with few classes.
func TestInverseOfManyClassesRefuses(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for alike, want := range map[float64]string{0: "singular", 1e-8: "condition number", .01: ""} {
			_, err := manyClasses(t, alike).Inverse()
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("rows that differ by %v: %v, want %q", alike, err, want)
			}
		}
	})
}

// A corrected loss holds one tensor of the size of T, in the dtype of the logits.
func TestCorrectionsHoldOneTensor(t *testing.T) {
	torchtest.NoLeak(t, func() {
		torch.Scope(func() {
			m, err := correction.Symmetric([]string{"a", "b", "c"}, .2)
			if err != nil {
				t.Fatal(err)
			}
			before := torch.Live()
			losses.NewForward(m, losses.Options{})
			if n := torch.Live() - before; n != 1 {
				t.Errorf("forward holds %d tensors", n)
			}
			if _, err := losses.NewBackward(m, losses.Options{}); err != nil {
				t.Fatal(err)
			}
			if n := torch.Live() - before; n != 2 {
				t.Errorf("forward and backward hold %d tensors", n)
			}
		})
	})
}
