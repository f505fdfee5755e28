package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Neighbours, counts and T equal the paper's method in plain PyTorch (torch 2.11.0, testdata/hoc.py).
func TestHOCEqualsReference(t *testing.T) {
	var golden struct {
		Features []float32
		Labels   []int
		Shares   []float64
		T, Early [][]float64
	}
	readGolden(t, "hoc", &golden)
	near := triples(golden.Features, len(golden.Labels))
	shares := countTriples(3, golden.Labels, near)
	expect.Same(t, golden.Shares, shares[2], cmpopts.EquateApprox(0, 1e-12), "shares of triples")
	expect.Same(t, golden.Early, agree(3, shares, 50), cmpopts.EquateApprox(0, 1e-9), "T after 50 steps")
	logits := make([]float32, 3*len(golden.Labels)) // which hoc does not read
	e := estimated(t, correctiontest.Names(3), logits, golden.Labels, Options{Name: "hoc", Triples: near})
	// Later steps circle the minimum, where a norm has no derivative, at a distance that depends on rounding.
	expect.Same(t, golden.T, e.T.Rows(), cmpopts.EquateApprox(0, .01), "T-hat")
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
		cosine := make([]float64, n)
		for y := range unit {
			cosine[y] = floats.Dot(unit[x], unit[y])
		}
		cosine[x] = math.Inf(-1)
		first := floats.MaxIdx(cosine)
		cosine[first] = math.Inf(-1)
		out[x] = [3]int{x, first, floats.MaxIdx(cosine)}
	}
	return out
}

// The gradient of the three norms equals central differences.
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
