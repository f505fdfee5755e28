package correction_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// peaked returns p [N C] of examples of the classes truth: share for the true class, and the
// rest for the others at random.
func peaked(truth []int, c int, share float64, r *rand.Rand) []float32 {
	p := make([]float32, 0, len(truth)*c)
	for _, y := range truth {
		row, sum := make([]float64, c), 0.0
		for j := range row {
			if j != y {
				row[j] = r.ExpFloat64()
				sum += row[j]
			}
		}
		for j := range row {
			if row[j] *= (1 - share) / sum; j == y {
				row[j] = share
			}
			p = append(p, float32(row[j]))
		}
	}
	return p
}

// FitColumns finds the order of a network's columns, whether labels are clean or noisy.
func TestFitColumns(t *testing.T) {
	const n, c = 10_000, 10
	r := rand.New(rand.NewPCG(5, 0))
	truth, chance := make([]int, n), make([]int, n)
	for k := range truth {
		truth[k], chance[k] = r.IntN(c), r.IntN(c)
	}
	noisy := func(level float64) []int {
		return expect.Got(correctiontest.HighNoise(t, level).Corrupt(truth, r))(t)
	}
	own, swapped := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{0, 1, 2, 3, 4, 6, 5, 7, 8, 9}
	reversed := []int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}
	for _, tt := range []struct {
		name         string
		labels       []int
		share        float64
		order        []int // of the columns
		differs, far bool
	}{
		{"clean", truth, .9, own, false, false},
		{"reversed", truth, .9, reversed, true, true},
		{"reversed, a weak network", truth, .4, reversed, true, true},
		{"reversed, with .2 noise", noisy(.2), .9, reversed, true, true},
		{"two classes swapped", truth, .9, swapped, true, true},
		{"asymmetric .4 noise", noisy(.4), .9, own, false, false},
		{"labels by chance", chance, .9, own, false, false},
	} {
		p := peaked(truth, c, tt.share, r)
		moved := make([]float32, len(p))
		for k := range n {
			for j, i := range tt.order {
				moved[k*c+j] = p[k*c+i]
			}
		}
		fit, differs := correction.FitColumns(moved, tt.labels, c)
		if differs != tt.differs || differs && (fit.Far != tt.far || !slices.Equal(fit.Order, tt.order)) {
			t.Errorf("%s: %+v, %v", tt.name, fit, differs)
		}
	}

	// Most labels of classes 5 and 6 name the other of the two. True posteriors then fit better when swapped, which
	// wrong labels explain. Noisy posteriors, T's rows, fit as they are.
	labels := noisy(.6)
	if fit, differs := correction.FitColumns(peaked(truth, c, .95, r), labels, c); !differs || fit.Far {
		t.Errorf("true posteriors at .6: %+v, %v", fit, differs)
	}
	matrix := correctiontest.HighNoise(t, .6)
	p := make([]float32, 0, n*c)
	for _, y := range truth {
		for j := range c {
			p = append(p, float32(matrix.At(y, j)))
		}
	}
	if fit, differs := correction.FitColumns(p, labels, c); differs {
		t.Errorf("noisy posteriors at .6: %+v", fit)
	}
	// A few examples prove nothing.
	if fit, differs := correction.FitColumns([]float32{.1, .9, .1, .9, .9, .1, .9, .1}, []int{0, 0, 1, 1}, 2); differs {
		t.Errorf("four examples: %+v", fit)
	}
}
