package correction_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Symmetric noise spreads a share of every class over all others; asymmetric noise moves it to one other class; a
// fixed flip has its own share at any level above 0. The oracle of MNIST at N = 0.7 is the left matrix of the paper's
// Equation 17.
func TestNoise(t *testing.T) {
	digits := make([][]float64, 10)
	for i := range digits {
		digits[i] = make([]float64, 10)
		digits[i][i] = 1
	}
	for from, to := range map[int]int{2: 7, 3: 8, 5: 6, 6: 5, 7: 1} {
		digits[from][from], digits[from][to] = .3, .7
	}
	two := []string{"neg", "pos"}
	fixed := []correction.Flip{{From: "neg", To: "pos", Fixed: .05}, {From: "pos", To: "neg"}}
	for _, tt := range []struct {
		classes []string
		level   float64
		flips   []correction.Flip // nil: symmetric
		want    [][]float64
	}{
		{correctiontest.Digits, .7, correctiontest.DigitFlips, digits},
		{two, .4, fixed, [][]float64{{.95, .05}, {.4, .6}}},
		{two, 0, fixed, [][]float64{{1, 0}, {0, 1}}},
		{abc, .2, nil, [][]float64{{.8, .1, .1}, {.1, .8, .1}, {.1, .1, .8}}},
	} {
		m, err := correction.Asymmetric(tt.classes, tt.level, tt.flips)
		if tt.flips == nil {
			m, err = correction.Symmetric(tt.classes, tt.level)
		}
		expect.OK(t, err)
		expect.Same(t, tt.want, m.Rows(), cmpopts.EquateApprox(0, 1e-15), fmt.Sprintf("%v at %v", tt.classes, tt.level))
	}
}

// Levels and flips out of range are refused.
func TestNoiseRefuses(t *testing.T) {
	for _, n := range []float64{-.1, 1, 1.5, math.NaN(), math.Inf(1)} {
		expect.Fails(t, expect.Err(correction.Symmetric(abc, n)), "want one in [0, 1)")
	}
	for _, test := range []struct {
		flips []correction.Flip
		want  string
	}{
		{[]correction.Flip{{From: "z", To: "a"}}, `no class "z" among`},
		{[]correction.Flip{{From: "a", To: "z"}}, `no class "z" among`},
		{[]correction.Flip{{From: "a", To: "a"}}, "cannot flip to itself"},
		{[]correction.Flip{{From: "a", To: "b"}, {From: "a", To: "c"}}, "flipped twice"},
		{[]correction.Flip{{From: "a", To: "b", Fixed: 1}}, "fixed probability is 1"},
	} {
		expect.Fails(t, expect.Err(correction.Asymmetric(abc, .2, test.flips)), test.want)
	}
}

// Pearson's chi-squared test of the drawn labels against each row of T, at a level so small that a correct sampler
// fails for one seed in 10^5. The seed is fixed.
func TestCorruptDrawsFromRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := correctiontest.RandomMatrix(t, rng, 5)
	const n = 20000
	clean := make([]int, 5*n)
	for k := range clean {
		clean[k] = k % 5
	}
	noisy := expect.Got(m.Corrupt(clean, rng))(t)
	realised := expect.Got(m.Realised(clean, noisy))(t)
	for i := range 5 {
		chi2 := 0.0
		for j := range 5 {
			d := realised.At(i, j) - m.At(i, j)
			chi2 += n * d * d / m.At(i, j)
		}
		if p := (distuv.ChiSquared{K: 4}).Survival(chi2); p < 1e-5/5 {
			t.Errorf("row %d: chi-squared %v, p = %v", i, chi2, p)
		}
	}
}

// Corrupt draws no label that T forbids, repeats itself on the same stream, and takes one number per example.
func TestCorrupt(t *testing.T) {
	m := expect.Got(correction.Asymmetric(correctiontest.Digits, .6, correctiontest.DigitFlips))(t)
	clean := make([]int, 50000)
	for k := range clean {
		clean[k] = k % 10
	}
	before := slices.Clone(clean)
	corrupt := func() (noisy []int, next uint64) {
		rng := rand.New(rand.NewPCG(5, 6))
		noisy = expect.Got(m.Corrupt(clean, rng))(t)
		return noisy, rng.Uint64()
	}
	noisy, next := corrupt()
	expect.Same(t, before, clean, "the input of Corrupt")
	rng := rand.New(rand.NewPCG(5, 6))
	for k := range clean {
		if m.At(clean[k], noisy[k]) == 0 {
			t.Fatalf("example %d went from %d to %d, which T forbids", k, clean[k], noisy[k])
		}
		rng.Float64()
	}
	expect.Same(t, rng.Uint64(), next, "the draw after the labels")
	again, _ := corrupt()
	expect.Same(t, true, slices.Equal(noisy, again), "the same stream gives the same labels")
}

// Realised counts labels; a class without examples keeps its row; labels out of range are errors.
func TestRealised(t *testing.T) {
	m := expect.Got(correction.Symmetric(abc, .3))(t)
	got := expect.Got(m.Realised([]int{0, 0, 0, 0, 1}, []int{0, 0, 0, 2, 0}))(t)
	want := [][]float64{{.75, 0, .25}, {1, 0, 0}, {.3 / 2, .3 / 2, .7}} // no example of class 2
	expect.Same(t, want, got.Rows(), "realised")
	for want, run := range map[string]func() (any, error){
		"1 clean labels and 2 noisy":    func() (any, error) { return m.Realised([]int{0}, []int{0, 1}) },
		"noisy label of example 0 is 3": func() (any, error) { return m.Realised([]int{0}, []int{3}) },
		"clean label of example 0 is 3": func() (any, error) { return m.Realised([]int{3}, []int{0}) },
		"label of example 1 is -1":      func() (any, error) { return m.Corrupt([]int{1, -1}, rand.New(rand.NewPCG(0, 0))) },
	} {
		expect.Fails(t, expect.Err(run()), want)
	}
}
