package estimators

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// Neighbours, counts and T are those of the paper's method in plain PyTorch (torch 2.11.0,
// testdata/hoc.py).
func TestHOCEqualsReference(t *testing.T) {
	raw, err := os.ReadFile("testdata/hoc.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Features []float32
		Labels   []int
		Shares   []float64
		T, Early [][]float64
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	near := triples(golden.Features, len(golden.Labels))
	shares := countTriples(3, golden.Labels, near)
	if off := floats.Distance(shares[2], golden.Shares, math.Inf(1)); off > 1e-12 {
		t.Errorf("shares of triples are off by %v", off)
	}
	for i, row := range agree(3, shares, 50) {
		if off := floats.Distance(row, golden.Early[i], math.Inf(1)); off > 1e-9 {
			t.Errorf("row %d of T after 50 steps is %v, want %v", i, row, golden.Early[i])
		}
	}
	e, err := Estimate([]string{"a", "b", "c"}, make([]float32, 3*len(golden.Labels)), golden.Labels, Options{Name: "hoc", Triples: near})
	if err != nil {
		t.Fatal(err)
	}
	// Later steps turn about the minimum, where a norm has no derivative, at a distance that
	// rounding decides.
	for i, row := range e.T.Rows() {
		if off := floats.Distance(row, golden.T[i], math.Inf(1)); off > .01 {
			t.Errorf("row %d of T-hat is %v, want %v", i, row, golden.T[i])
		}
	}
}

// triples returns each example with the two others of largest cosine.
func triples(features []float32, n int) [][3]int {
	d := len(features) / n
	unit := make([][]float64, n)
	for x := range unit {
		for _, v := range features[x*d : (x+1)*d] {
			unit[x] = append(unit[x], float64(v))
		}
		floats.Scale(1/max(1e-12, floats.Norm(unit[x], 2)), unit[x])
	}
	out := make([][3]int, n)
	for x := range out {
		first, second := math.Inf(-1), math.Inf(-1)
		out[x][0] = x
		for y := range unit {
			switch cosine := floats.Dot(unit[x], unit[y]); {
			case y == x:
			case cosine > first:
				out[x][1], out[x][2], first, second = y, out[x][1], cosine, first
			case cosine > second:
				out[x][2], second = y, cosine
			}
		}
	}
	return out
}

// The gradient of the three norms is that of central differences.
func TestConsensusGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	const c, step = 3, 1e-6
	x := make([]float64, c*c+c)
	for k := range x {
		x[k] = rng.NormFloat64()
	}
	var labels []int
	var near [][3]int
	for range 50 {
		near = append(near, [3]int{len(labels), rng.IntN(len(labels) + 1), rng.IntN(len(labels) + 1)})
		labels = append(labels, rng.IntN(c))
	}
	shares := countTriples(c, labels, near)
	_, gradient, _ := consensusLoss(c, x, shares)
	for k := range x {
		at := func(by float64) float64 {
			moved := slices.Clone(x)
			moved[k] += by
			loss, _, _ := consensusLoss(c, moved, shares)
			return loss
		}
		if want := (at(step) - at(-step)) / (2 * step); math.Abs(gradient[k]-want) > 1e-8 {
			t.Errorf("gradient %d is %v, by differences %v", k, gradient[k], want)
		}
	}
}

// Clouds that are apart give T, whatever the posteriors are, in unequal classes and with
// features of 0 too.
func TestHOCFindsT(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	const n, c, d = 6000, 4, 8
	m, err := correction.Asymmetric([]string{"a", "b", "c", "d"}, .35, []correction.Flip{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "d", To: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	clean, features, logits := make([]int, n), make([]float32, n*d), make([]float32, n*c)
	for x := range clean {
		clean[x] = min(rng.IntN(6), 3) // half of them in class 3
		for k := range d {
			features[x*d+k] = .3 * float32(rng.NormFloat64())
		}
		features[x*d+clean[x]] += 2
	}
	copy(features[:d], make([]float32, d))
	for k := range logits {
		logits[k] = float32(rng.NormFloat64())
	}
	noisy, err := m.Corrupt(clean, rng)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Estimate(m.Classes(), logits, noisy, Options{Name: "hoc", Triples: triples(features, n)})
	if err != nil {
		t.Fatal(err)
	}
	if got := correction.RowError(e.T, m); got > .05 {
		t.Errorf("row error %.3f, T-hat %v", got, e.T.Rows())
	}
}

// A class without a label is named.
func TestHOCNamesAbsentClass(t *testing.T) {
	e, err := Estimate([]string{"cat", "dog", "newt"}, make([]float32, 18), []int{0, 1, 0, 1, 0, 1}, Options{Name: "hoc", Triples: [][3]int{{0, 1, 2}, {3, 4, 5}}})
	if err != nil || !strings.Contains(strings.Join(e.Warnings, "; "), "no example is labelled newt") {
		t.Errorf("%v, %v", e, err)
	}
}

func TestHOCRefuses(t *testing.T) {
	o := Options{Name: "hoc", Triples: [][3]int{{0, 1, 3}}}
	if _, err := Estimate([]string{"a", "b"}, make([]float32, 6), []int{0, 1, 0}, o); err == nil || !strings.Contains(err.Error(), "triple [0 1 3]") {
		t.Errorf("triple of other examples: %v", err)
	}
	if _, err := Estimate([]string{"a", "b"}, make([]float32, 6), []int{0, 1, 0}, Options{Name: "hoc"}); err == nil || !strings.Contains(err.Error(), "two neighbours") {
		t.Errorf("no triples: %v", err)
	}
	if _, err := Estimate([]string{"a", "b"}, make([]float32, 4), nil, o); err == nil || !strings.Contains(err.Error(), "noisy labels are missing") {
		t.Errorf("no labels: %v", err)
	}
	many := make([]string, 201)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	if _, err := Estimate(many, make([]float32, 201), []int{0}, o); err == nil || !strings.Contains(err.Error(), "201 classes") {
		t.Errorf("201 classes: %v", err)
	}
}
