package correction_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

// The left matrix of the paper's Equation 17, MNIST at N = 0.7.
func TestAsymmetricMNIST(t *testing.T) {
	m, err := correction.Asymmetric(correctiontest.Digits, .7, correctiontest.DigitFlips)
	if err != nil {
		t.Fatal(err)
	}
	want := make([][]float64, 10)
	for i := range want {
		want[i] = make([]float64, 10)
		want[i][i] = 1
	}
	for from, to := range map[int]int{2: 7, 3: 8, 5: 6, 6: 5, 7: 1} {
		want[from][from], want[from][to] = .3, .7
	}
	if diff := cmp.Diff(want, m.Rows(), cmpopts.EquateApprox(0, 1e-15)); diff != "" {
		t.Errorf("T (-want +got):\n%s", diff)
	}
}

func TestAsymmetricFixedFlip(t *testing.T) {
	f := []correction.Flip{{From: "neg", To: "pos", Fixed: .05}, {From: "pos", To: "neg"}}
	two := []string{"neg", "pos"}
	noisy, err := correction.Asymmetric(two, .4, f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{.95, .05}, {.4, .6}}, noisy.Rows()); diff != "" {
		t.Errorf("N = 0.4 (-want +got):\n%s", diff)
	}
	clean, err := correction.Asymmetric(two, 0, f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{1, 0}, {0, 1}}, clean.Rows()); diff != "" {
		t.Errorf("N = 0 (-want +got):\n%s", diff)
	}
}

func TestSymmetric(t *testing.T) {
	m, err := correction.Symmetric(correctiontest.Digits, .2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		for j := range 10 {
			want := .2 / 9
			if i == j {
				want = .8
			}
			if m.At(i, j) != want {
				t.Errorf("T[%d][%d] = %v, want %v", i, j, m.At(i, j), want)
			}
		}
	}
}

func TestNoiseRefuses(t *testing.T) {
	for _, n := range []float64{-.1, 1, 1.5, math.NaN(), math.Inf(1)} {
		if _, err := correction.Symmetric(abc, n); err == nil || !strings.Contains(err.Error(), "want one in [0, 1)") {
			t.Errorf("symmetric level %v: %v", n, err)
		}
	}
	for _, test := range []struct {
		flips []correction.Flip
		want  string
	}{
		{[]correction.Flip{{From: "z", To: "a"}}, `no class is named "z"`},
		{[]correction.Flip{{From: "a", To: "z"}}, `no class is named "z"`},
		{[]correction.Flip{{From: "a", To: "a"}}, "cannot flip to itself"},
		{[]correction.Flip{{From: "a", To: "b"}, {From: "a", To: "c"}}, "flipped twice"},
		{[]correction.Flip{{From: "a", To: "b", Fixed: 1}}, "fixed probability 1"},
	} {
		if _, err := correction.Asymmetric(abc, .2, test.flips); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("flips %v: %v, want an error with %q", test.flips, err, test.want)
		}
	}
}

// Pearson's chi-squared test of the drawn labels against each row of T, at a
// level so small that a right sampler fails once in 10^5 seeds; this seed is
// fixed, so the test is repeatable.
func TestCorruptDrawsFromRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := correctiontest.RandomMatrix(t, rng, 5)
	const n = 20000
	clean := make([]int, 5*n)
	for k := range clean {
		clean[k] = k % 5
	}
	noisy, err := m.Corrupt(clean, rng)
	if err != nil {
		t.Fatal(err)
	}
	realised, err := m.Realised(clean, noisy)
	if err != nil {
		t.Fatal(err)
	}
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

func TestCorruptLeavesZeroesAlone(t *testing.T) {
	m, err := correction.Asymmetric(correctiontest.Digits, .6, correctiontest.DigitFlips)
	if err != nil {
		t.Fatal(err)
	}
	clean := make([]int, 50000)
	for k := range clean {
		clean[k] = k % 10
	}
	before := slices.Clone(clean)
	noisy, err := m.Corrupt(clean, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, clean) {
		t.Error("Corrupt changed its input")
	}
	for k := range clean {
		if m.At(clean[k], noisy[k]) == 0 {
			t.Fatalf("example %d went from %d to %d, which T forbids", k, clean[k], noisy[k])
		}
	}
	again, err := m.Corrupt(clean, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(noisy, again) {
		t.Error("the same stream gave other labels")
	}
}

// One draw an example: labels after the first k do not depend on those before.
func TestCorruptTakesOneDrawAnExample(t *testing.T) {
	m := correctiontest.RandomMatrix(t, rand.New(rand.NewPCG(7, 8)), 4)
	a, b := rand.New(rand.NewPCG(9, 9)), rand.New(rand.NewPCG(9, 9))
	if _, err := m.Corrupt(make([]int, 37), a); err != nil {
		t.Fatal(err)
	}
	for range 37 {
		b.Float64()
	}
	if a.Uint64() != b.Uint64() {
		t.Error("37 labels did not take 37 draws")
	}
}

func TestRealised(t *testing.T) {
	m, err := correction.Symmetric(abc, .3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Realised([]int{0, 0, 0, 0, 1}, []int{0, 0, 0, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{.75, 0, .25}, {1, 0, 0}, {.3 / 2, .3 / 2, .7}} // no example of class 2
	if diff := cmp.Diff(want, got.Rows()); diff != "" {
		t.Errorf("realised (-want +got):\n%s", diff)
	}
	if _, err := m.Realised([]int{0}, []int{0, 1}); err == nil {
		t.Error("slices of 1 and 2 labels were taken")
	}
	if _, err := m.Realised([]int{0}, []int{3}); err == nil || !strings.Contains(err.Error(), "noisy label of example 0 is 3") {
		t.Errorf("label out of range: %v", err)
	}
	if _, err := m.Corrupt([]int{1, -1}, rand.New(rand.NewPCG(0, 0))); err == nil || !strings.Contains(err.Error(), "label of example 1 is -1") {
		t.Errorf("label out of range: %v", err)
	}
}
