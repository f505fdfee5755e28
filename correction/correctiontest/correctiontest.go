// Package correctiontest has examples with noisy labels for the tests of the packages below
// correction.
package correctiontest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
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

//go:embed testdata/audit_*.bin.gz
var networks embed.FS

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
	c := m.Dim()
	clean := Simplex(rng, n, c, func(int) float64 {
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

// NewUnequal is NewExample for classes of which every second has a tenth of the examples
// of the others.
func NewUnequal(t *testing.T, rng *rand.Rand, m *correction.Matrix, n int) Example {
	t.Helper()
	c := m.Dim()
	clean := make([][]float64, n)
	for x := range clean {
		k := rng.IntN(c)
		for k%2 == 1 && rng.IntN(10) > 0 {
			k = rng.IntN(c)
		}
		w := 1 - .05*rng.Float64()
		if rng.IntN(10) == 0 {
			w = rng.Float64()
		}
		clean[x] = Simplex(rng, 1, c, func(int) float64 { return 0 })[0]
		for j := range clean[x] {
			clean[x][j] *= 1 - w
		}
		clean[x][k] += w
	}
	return Drawn(t, rng, m, clean)
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
		rows[k] = make([]float64, c)
		sum := 0.0
		for j := range rows[k] {
			rows[k][j] = rng.ExpFloat64()
			sum += rows[k][j]
		}
		w := pull(k)
		for j := range rows[k] {
			rows[k][j] *= (1 - w) / sum
		}
		rows[k][k%c] += w
	}
	return rows
}

// RandomMatrix returns a matrix whose diagonal exceeds 1/2, hence invertible
// and with T_ii > T_ki for every k.
func RandomMatrix(t *testing.T, rng *rand.Rand, c int) *correction.Matrix {
	t.Helper()
	classes := make([]string, c)
	rows := make([][]float64, c)
	for i := range rows {
		classes[i] = string(rune('a' + i))
		rows[i] = make([]float64, c)
		sum := 0.0
		for j := range rows[i] {
			rows[i][j] = rng.ExpFloat64()
			sum += rows[i][j]
		}
		keep := .55 + .4*rng.Float64()
		for j := range rows[i] {
			rows[i][j] *= (1 - keep) / sum
		}
		rows[i][i] += keep
	}
	return expect.Got(correction.NewMatrix(classes, rows))(t)
}

// Recorded is out-of-fold logits of first and second networks on examples with wrong labels;
// testdata/audit.py makes them.
type Recorded struct {
	Labels, Given []int
	First, Second []float32
}

func ReadRecorded(t *testing.T, name string, examples, c int) Recorded {
	t.Helper()
	packed := expect.Got(networks.ReadFile("testdata/audit_" + name + ".bin.gz"))(t)
	data := expect.Got(io.ReadAll(expect.Got(gzip.NewReader(bytes.NewReader(packed)))(t)))(t)
	if len(data) != examples*(2+2*c) {
		t.Fatalf("%d bytes", len(data))
	}
	var d Recorded
	for row := range slices.Chunk(data, 2+2*c) {
		d.Labels, d.Given = append(d.Labels, int(row[0])), append(d.Given, int(row[1]))
		for k, v := range row[2:] {
			if k < c {
				d.First = append(d.First, -float32(v)/4)
			} else {
				d.Second = append(d.Second, -float32(v)/4)
			}
		}
	}
	return d
}
