// Package correctiontest has examples with noisy labels for the tests of package correction and of those below it.
package correctiontest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

// The classes of MNIST, and the flips of its asymmetric noise in the paper.
var (
	Digits     = strings.Split("0123456789", "")
	DigitFlips = []correction.Flip{{From: "2", To: "7"}, {From: "3", To: "8"}, {From: "5", To: "6"}, {From: "6", To: "5"},
		{From: "7", To: "1"}}
)

// Example is a data set by its exact noisy posteriors: of c equal classes, most
// examples near a corner of the simplex, some anywhere in it.
type Example struct {
	T      *correction.Matrix
	Labels []int // true
	Noisy  []int
	Logits []float32
}

func NewExample(t *testing.T, rng *rand.Rand, m *correction.Matrix, n int) Example {
	t.Helper()
	clean := Simplex(rng, n, m.Dim(), func(int) float64 {
		if rng.IntN(10) == 0 {
			return 0
		}
		return 1 - .05*rng.Float64()
	})
	return Drawn(t, rng, m, clean)
}

// Drawn draws the labels of examples that have these clean posteriors, and the noisy ones by m.
func Drawn(t *testing.T, rng *rand.Rand, m *correction.Matrix, clean [][]float64) Example {
	t.Helper()
	e := Example{T: m, Logits: NoisyLogits(m, clean), Labels: make([]int, len(clean))}
	for x, p := range clean {
		u := rng.Float64()
		for u -= p[0]; u > 0 && e.Labels[x] < m.Dim()-1; u -= p[e.Labels[x]] {
			e.Labels[x]++
		}
	}
	e.Noisy = expect.Got(m.Corrupt(e.Labels, rng))(t)
	return e
}

// Names returns the names of c classes.
func Names(c int) []string {
	names := make([]string, c)
	for k := range names {
		names[k] = fmt.Sprint("class ", k)
	}
	return names
}

func HighNoise(t *testing.T, level float64) *correction.Matrix {
	t.Helper()
	return expect.Got(correction.Asymmetric(Digits, level, DigitFlips))(t)
}

// NoisyLogits returns log p(ỹ|x) = log sum_i p(y=i|x) T_i for clean posteriors,
// finite where the probability is 0.
func NoisyLogits(m *correction.Matrix, clean [][]float64) []float32 {
	var z []float32
	for _, p := range clean {
		for j := range p {
			sum := 0.0
			for i := range p {
				sum += p[i] * m.At(i, j)
			}
			z = append(z, float32(max(math.Log(sum), -100)))
		}
	}
	return z
}

// Simplex returns n clean posteriors, drawn uniformly, each mixed with weight
// pull into a corner in turn; a pull of 1 gives anchors.
func Simplex(rng *rand.Rand, n, c int, pull func(k int) float64) [][]float64 {
	rows := make([][]float64, n)
	for k := range rows {
		rows[k] = Corner(rng, c, k%c, func() float64 { return pull(k) })
	}
	return rows
}

// Corner returns probabilities of c classes, drawn uniformly and mixed with weight pull into class k.
func Corner(rng *rand.Rand, c, k int, pull func() float64) []float64 {
	row := make([]float64, c)
	sum := 0.0
	for j := range row {
		row[j] = rng.ExpFloat64()
		sum += row[j]
	}
	w := pull()
	for j := range row {
		row[j] *= (1 - w) / sum
	}
	row[k] += w
	return row
}

// RandomMatrix returns a matrix whose diagonal exceeds 1/2, hence invertible
// and with T_ii > T_ki for every k.
func RandomMatrix(t *testing.T, rng *rand.Rand, c int) *correction.Matrix {
	t.Helper()
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = Corner(rng, c, i, func() float64 { return .55 + .4*rng.Float64() })
	}
	return expect.Got(correction.NewMatrix(Names(c), rows))(t)
}
